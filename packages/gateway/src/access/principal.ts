/**
 * Returns the default principal of a person: issuer and subject, encoded, so that subjects of two issuers are never one person.
 * @see https://openid.net/specs/openid-connect-core-1_0.html#ClaimStability
 */
export function principalOfSubject({ iss, sub }: { readonly iss: string; readonly sub: string }): string {
  return `${encodeURIComponent(iss)}|${encodeURIComponent(sub)}`;
}
