/** @see https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/ */
export const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
/** In the metadata of authorization servers that take it. */
export const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';
/** @see https://www.rfc-editor.org/rfc/rfc8693.html */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** RFC 8693, section 3. */
export const TOKEN_TYPES = {
  id_token: 'urn:ietf:params:oauth:token-type:id_token',
  refresh_token: 'urn:ietf:params:oauth:token-type:refresh_token',
  saml2: 'urn:ietf:params:oauth:token-type:saml2',
} as const;
