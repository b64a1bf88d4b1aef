export { rangesOf, type AddressRanges } from './address-ranges.js';
export { namesError, parseChallenges, type Challenge } from './challenges.js';
export { chooseProxy, type ProxyChoice } from './choose-proxy.js';
export { clientCertificateOf, remoteFields } from './entry-fields.js';
export { checkHeaders } from './headers.js';
export { bareHost, isLoopbackAddress, isLoopbackHost } from './hosts.js';
export { parseRetryAfter, type RetryAfterOptions } from './retry-after.js';
export { checkServerUrl, type ServerUrlOptions, type UrlVerdict } from './server-url.js';
export type { ClientCertificate, TlsOptions } from './tls-options.js';
