import type { ServerConfig } from '@mcp-fittings/client-core';
import { nearestNames } from '@mcp-fittings/client-core/text';
import { printable } from '../display-text.js';
import type { JsonObject } from '../jsonc/json-value.js';
import type { EntryIssue } from '../problems.js';

const SPELLINGS: Readonly<Record<string, string>> = {
  'streamable-http': 'http',
  streamable_http: 'http',
  streamableHttp: 'http',
  streamablehttp: 'http',
  websocket: 'ws',
};

/** A misspelled field is the most common reason why an entry has none of them. */
function missingTypeHint(fields: readonly string[]): string {
  const known = ['command', 'url', 'type'];
  const others = fields.filter((field) => !known.includes(field));
  for (const meant of known) {
    const [near] = nearestNames(meant, others);
    if (near !== undefined) return `Did you mean "${meant}" by "${printable(near)}"?`;
  }
  return 'Add "command" for a program on this machine, or "url" for a remote server.';
}

const URL_FIELDS = ['url', 'httpUrl', 'serverUrl'] as const;

/**
 * Replaces aliases by canonical field names and always sets `type`: the explicit one, else `stdio` for a `command`, `http`
 * for a `url`. `oauth: false` becomes `oauth: { enabled: false }`.
 */
export function normalizeEntry(
  entry: JsonObject,
): { readonly config: ServerConfig } | { readonly issues: readonly EntryIssue[] } {
  const issues: EntryIssue[] = [];
  const { type, transportType, httpUrl: _http, serverUrl: _server, url: _url, ...rest } = entry;

  const written = URL_FIELDS.filter((field) => typeof entry[field] === 'string');
  const [firstUrl] = written;
  for (const other of written.slice(1)) {
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
  const implied = command ? 'stdio' : firstUrl === undefined ? undefined : 'http';
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
  return {
    config: { type: chosen, ...rest, ...oauth, ...(firstUrl !== undefined && { url: entry[firstUrl] }) },
  };
}

/** A type of transport and its aliases. */
export function typeSpellings(type: string): readonly string[] {
  return [type, ...Object.keys(SPELLINGS).filter((spelling) => SPELLINGS[spelling] === type)];
}

function canonicalType(written: string): string {
  return Object.hasOwn(SPELLINGS, written) ? (SPELLINGS[written] ?? written) : written;
}
