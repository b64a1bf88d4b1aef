/** Certificates and keys. A separate entry point, because it loads slowly and most servers do not need it. */
export {
  loadTls,
  type ClientCertificate,
  type LoadTlsOptions,
  type TlsContexts,
  type TlsOptions,
} from './connect/load-tls.js';
