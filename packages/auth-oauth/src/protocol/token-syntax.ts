const VISIBLE_ASCII = /^[\x21-\x7e]{1,65536}$/;

/**
 * Returns whether a token can be sent in a header and in a form: visible ASCII, nothing that ends a line or a credential.
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#appendix-A
 */
export function hasTokenSyntax(token: string): boolean {
  return VISIBLE_ASCII.test(token);
}

/** The syntax of a scope. @see https://www.rfc-editor.org/rfc/rfc6749.html#section-3.3 */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
/** Longer lists are cut. */
const MAX_SCOPES = 200;

/** Returns the valid scopes of a space-separated list, without duplicates, in their order. */
export function parseScopes(text: string): readonly string[] {
  return validScopes(text.split(' '));
}

function validScopes(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes)].filter((scope) => SCOPE.test(scope)).slice(0, MAX_SCOPES);
}

/** Returns the union of lists of scopes. */
export function mergeScopes(...lists: readonly (readonly string[])[]): readonly string[] {
  return validScopes(lists.flat());
}
