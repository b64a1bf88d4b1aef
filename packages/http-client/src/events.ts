/**
 * Reads the messages of an event stream, whatever carries it. Imports no module of Node.js.
 *
 * @packageDocumentation
 */
export { MessageReader, type MessageReaderOptions } from './events/message-reader.js';
export { SilenceWatch } from './events/silence-watch.js';
