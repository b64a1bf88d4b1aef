/** RFC 6749, section 3.3: what a scope may consist of. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
/** More scopes than this are no request of a sane server. */
const MAX_SCOPES = 200;

/** The well-formed scopes of a space-separated list, each once, in their order. */
export function scopesOf(text: string): readonly string[] {
  return validScopes(text.split(' '));
}

function validScopes(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes)].filter((scope) => SCOPE.test(scope)).slice(0, MAX_SCOPES);
}

export function union(...lists: readonly (readonly string[])[]): readonly string[] {
  return validScopes(lists.flat());
}
