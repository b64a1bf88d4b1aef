export { createPortTransport, port, type PortEntry } from './port-transport.js';
