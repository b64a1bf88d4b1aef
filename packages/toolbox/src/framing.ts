/**
 * Messages in a stream of bytes: lines, UTF-8 and limits of their length.
 *
 * @packageDocumentation
 */
export {
  concatBytes,
  createByteCollector,
  createUtf8Decoder,
  type ByteCollector,
  type ByteCollectorOptions,
} from './framing/bytes.js';
export {
  createLineReader,
  type Line,
  type LineReader,
  type LineReaderOptions,
  type RefusedLine,
} from './framing/line-reader.js';
export { serveLines, type ServeLinesOptions } from './framing/serve-lines.js';
