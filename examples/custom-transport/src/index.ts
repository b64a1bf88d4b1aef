export { createUnixTransport, unix, type UnixEntry, type UnixTransportOptions } from './unix-transport.js';
