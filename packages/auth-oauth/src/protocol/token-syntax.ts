const VISIBLE_ASCII = /^[\x21-\x7e]{1,65536}$/;

/**
 * Whether a token can stand in a header and in a form: nothing in it ends a line or a credential.
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#appendix-A
 */
export function hasTokenSyntax(token: string): boolean {
  return VISIBLE_ASCII.test(token);
}

/** RFC 6749, section 3.3: what a scope may consist of. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
/** More scopes than this are no request of a sane server. */
const MAX_SCOPES = 200;

/** The well-formed scopes of a space-separated list, each once, in their order. */
export function parseScopes(text: string): readonly string[] {
  return validScopes(text.split(' '));
}

function validScopes(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes)].filter((scope) => SCOPE.test(scope)).slice(0, MAX_SCOPES);
}

export function mergeScopes(...lists: readonly (readonly string[])[]): readonly string[] {
  return validScopes(lists.flat());
}
