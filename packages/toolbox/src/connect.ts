/**
 * Connections to a remote server: URLs, headers, proxies, addresses, and messages about a failed connection.
 *
 * @packageDocumentation
 */
export { chooseProxy, type ProxyOptions } from './connect/choose-proxy.js';
export { connectionHint, connectionMessage } from './connect/connection-messages.js';
export {
  httpEntryFields,
  remoteEntryFields,
  toClientCertificate,
  toHttpClientOptions,
  type HttpEntryFields,
  type HttpEntryOptions,
  type RemoteEntryFields,
} from './connect/entry-fields.js';
export { checkHeaders, CONNECTION_HEADERS, headerProblem } from './connect/headers.js';
export { bareHost, hostnameOf, isLoopbackAddress, isLoopbackHost, secureUrl } from './connect/hosts.js';
export {
  checkHttpOptions,
  type AllowedAddresses,
  type CheckedHttpServer,
  type HttpServerOptions,
} from './connect/http-options.js';
export {
  addressGroups,
  ipFamily,
  ipv4Of,
  parseAddressRanges,
  type AddressRanges,
} from './connect/ip-addresses.js';
export {
  checkServerUrl,
  refuseUnencrypted,
  type ServerUrlOptions,
  type CheckedUrl,
} from './connect/server-url.js';
export { collectHeaders, SDK_ONLY_OPTIONS, withUrl, type RequestInitOptions } from './connect/sdk-options.js';
export { isSocketUrl, originOf } from './connect/socket-url.js';
export { withFallback } from './connect/with-fallback.js';
export type { ClientCertificate, TlsOptions } from './tls.js';
