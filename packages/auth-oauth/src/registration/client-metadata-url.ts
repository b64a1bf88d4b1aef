import { FittingsError } from '@mcp-fittings/client-core';

/**
 * Checks the URL of a Client ID Metadata Document: https, with a path, without credentials, fragment and dot segments, and
 * in its normalized form, because servers compare it as a string. Accepts undefined. Throws `CONFIG_INVALID`.
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
 */
export function checkClientMetadataUrl(value: string | undefined, server?: string): void {
  if (value === undefined) return;
  const problem = problemOf(value);
  if (problem === undefined) return;
  throw new FittingsError('CONFIG_INVALID', `"clientMetadataUrl" ${problem}.`, {
    server,
    hint: 'Use the https URL at which the Client ID Metadata Document is served, such as https://app.example/client.json.',
  });
}

function problemOf(value: string): string | undefined {
  if (!URL.canParse(value)) return 'is not an absolute URL';
  const url = new URL(value);
  if (url.protocol !== 'https:') return 'is not an https URL';
  if (url.username !== '' || url.password !== '') return 'contains a user name or password';
  if (value.includes('#')) return 'has a fragment';
  if (url.pathname === '/') return 'has no path';
  if (value.split(/[/\\?]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part)))
    return 'has dot segments in its path';
  if (url.href !== value) return 'is not written in its normalized form';
  return undefined;
}
