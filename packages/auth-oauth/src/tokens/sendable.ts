const VISIBLE_ASCII = /^[\x21-\x7e]{1,65536}$/;

/**
 * Whether a token can stand in a header and in a form: nothing in it ends a line or a credential.
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#appendix-A
 */
export function isSendable(token: string): boolean {
  return VISIBLE_ASCII.test(token);
}
