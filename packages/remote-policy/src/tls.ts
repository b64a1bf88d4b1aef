/** By itself, because what reads certificates takes long to load and most servers need none. */
export { loadTls, type LoadTlsOptions, type TlsContexts } from './connect/load-tls.js';
