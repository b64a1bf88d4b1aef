import type { ServerConfig } from '@mcp-fittings/client-core';
import { nearestNames } from '@mcp-fittings/toolbox/text';
import { printable } from '../display-text.js';
import type { JsonObject, JsonValue } from '../jsonc/json-value.js';
import type { EntryIssue } from '../problems.js';
import { AUTH_WORDS, TYPE_WORDS } from '../words/foreign-words.js';
import { obeyRestrictions } from '../words/read-words.js';
import { COMMON_FIELDS } from './entry-schema.js';

/** A misspelled field is the most common reason why an entry has none of them. */
function missingTypeHint(fields: readonly string[]): string {
  const known = ['command', 'url', 'type'];
  const others = fields.filter((field) => !known.includes(field));
  for (const meant of known) {
    const [near] = nearestNames(meant, others);
    if (near !== undefined) return `"${printable(near)}" is not a field. Did you mean "${meant}"?`;
  }
  return 'Add "command" for a program on this machine, or "url" for a remote server.';
}

const URL_FIELDS = ['url', 'httpUrl', 'serverUrl'] as const;

/**
 * Replaces aliases by canonical field names, obeys what other programs' words switch off, and always sets `type`: the
 * explicit one, else `stdio` for a `command`, `ws` for a `url` of a WebSocket, `http` for any other `url`. `oauth: false`
 * becomes `oauth: { enabled: false }`.
 *
 * @param known Fields of the installed transports.
 */
export function normalizeEntry(
  written: JsonObject,
  known: Iterable<string> = [],
):
  | { readonly config: ServerConfig; readonly switchedOffBy: readonly string[] }
  | { readonly issues: readonly EntryIssue[] } {
  const fields = new Set([...COMMON_FIELDS, ...known]);
  const { entry, issues: unclear, switchedOffBy } = obeyRestrictions(written, fields);
  const issues: EntryIssue[] = [...unclear];
  const { type, transportType, httpUrl: _http, serverUrl: _server, url: _url, ...rest } = entry;

  const urls = URL_FIELDS.filter((field) => typeof entry[field] === 'string');
  const [firstUrl] = urls;
  for (const other of urls.slice(1)) {
    if (firstUrl !== undefined && entry[other] !== entry[firstUrl]) {
      issues.push({
        code: 'TYPE_CONFLICT',
        path: other,
        message: `"${other}" and "${firstUrl}" are different URLs.`,
        hint: 'Keep one of them.',
      });
    }
  }

  const types = [type, transportType].filter((value) => typeof value === 'string').map(canonicalType);
  const [explicit, second] = types;
  if (second !== undefined && explicit !== second) {
    issues.push({
      code: 'TYPE_CONFLICT',
      path: 'transportType',
      message: '"type" and "transportType" name different transports.',
      hint: 'Keep "type".',
    });
  }
  if (explicit?.includes('${') === true) {
    issues.push({
      code: 'VARIABLE_REFUSED',
      path: type === undefined ? 'transportType' : 'type',
      message: 'The type of the transport cannot come from a variable.',
    });
  }

  const command = typeof entry['command'] === 'string';
  if (explicit === undefined && command && firstUrl !== undefined) {
    issues.push({
      code: 'TYPE_CONFLICT',
      path: firstUrl,
      message: 'The entry has both a "command" and a URL, so its transport is ambiguous.',
      hint: 'Add "type", or remove one of them.',
    });
  }
  const implied = command ? 'stdio' : firstUrl === undefined ? undefined : typeOfUrl(entry[firstUrl]);
  const chosen = explicit ?? implied;
  if (chosen === undefined) {
    issues.push({
      code: 'TYPE_MISSING',
      path: '',
      message: 'The entry has neither "command" nor "url" nor "type".',
      hint: missingTypeHint(Object.keys(entry)),
    });
  }
  if (issues.length > 0 || chosen === undefined) return { issues };
  const oauth = rest['oauth'] === false && { oauth: { enabled: false } };
  const { authProviderType: scheme } = rest;
  const authProviderType =
    typeof scheme === 'string' && Object.hasOwn(AUTH_WORDS, scheme) ? AUTH_WORDS[scheme] : scheme;
  return {
    switchedOffBy,
    config: {
      type: chosen,
      ...rest,
      ...oauth,
      ...(authProviderType !== undefined && { authProviderType }),
      ...(firstUrl !== undefined && { url: entry[firstUrl] }),
    },
  };
}

function typeOfUrl(url: JsonValue | undefined): string {
  return typeof url === 'string' && /^wss?:/i.test(url) ? 'ws' : 'http';
}

/** A type of transport and its aliases. */
export function typeSpellings(type: string): readonly string[] {
  return [type, ...Object.keys(TYPE_WORDS).filter((word) => TYPE_WORDS[word] === type)];
}

function canonicalType(written: string): string {
  return Object.hasOwn(TYPE_WORDS, written) ? (TYPE_WORDS[written] ?? written) : written;
}
