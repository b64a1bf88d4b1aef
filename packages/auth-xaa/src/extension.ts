/**
 * Declare it to servers: `sdk({ …, extensions: { [XAA_EXTENSION]: {} } })`.
 * @see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 */
export const XAA_EXTENSION = 'io.modelcontextprotocol/enterprise-managed-authorization';
