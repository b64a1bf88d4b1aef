/** Members of `_meta` that the revision 2026-07-28 gives a meaning. @see https://modelcontextprotocol.io/specification/2026-07-28 */
export const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
