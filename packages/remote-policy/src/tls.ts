/** Certificates and keys. A separate entry point, because it loads slowly and most servers do not need it. */
export { loadTls, type LoadTlsOptions, type TlsContexts } from './connect/load-tls.js';
