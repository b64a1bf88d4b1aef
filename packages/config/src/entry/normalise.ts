import type { ServerConfig } from '@mcp-fittings/client-core';
import { nearestNames } from '@mcp-fittings/client-core/text';
import type { JsonObject } from '../jsonc/json-value.js';
import type { ProblemCode } from '../problems.js';
import { shown } from '../text/visible-text.js';

/** What is wrong with an entry, before anybody knows where it stands. */
export interface EntryFault {
  readonly code: ProblemCode;
  /** Field path; `''` is the entry itself. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

const SPELLINGS: Readonly<Record<string, string>> = {
  'streamable-http': 'http',
  streamable_http: 'http',
  streamableHttp: 'http',
  streamablehttp: 'http',
  websocket: 'ws',
};

/** A mistyped field is the most common reason why an entry says neither. */
function missingTypeHint(fields: readonly string[]): string {
  const known = ['command', 'url', 'type'];
  const others = fields.filter((field) => !known.includes(field));
  for (const meant of known) {
    const [near] = nearestNames(meant, others);
    if (near !== undefined) return `Did you mean "${meant}" by "${shown(near)}"?`;
  }
  return 'Add "command" for a program on this machine, or "url" for a remote server.';
}

const URL_FIELDS = ['url', 'httpUrl', 'serverUrl'] as const;

/**
 * One spelling for everything that can be spelled in several ways, and `type` always set: the explicit one, else
 * `stdio` for a `command`, `http` for a `url`. `oauth: false` is short for `oauth: { enabled: false }`.
 */
export function normaliseEntry(
  entry: JsonObject,
): { readonly config: ServerConfig } | { readonly faults: readonly EntryFault[] } {
  const faults: EntryFault[] = [];
  const { type, transportType, httpUrl: _http, serverUrl: _server, url: _url, ...rest } = entry;

  const written = URL_FIELDS.filter((field) => typeof entry[field] === 'string');
  const [firstUrl] = written;
  for (const other of written.slice(1)) {
    if (firstUrl !== undefined && entry[other] !== entry[firstUrl]) {
      faults.push({
        code: 'TYPE_CONFLICT',
        path: other,
        message: `"${other}" and "${firstUrl}" name different addresses.`,
        hint: 'Keep one of them.',
      });
    }
  }

  const types = [type, transportType].filter((value) => typeof value === 'string').map(canonicalType);
  const [explicit, second] = types;
  if (second !== undefined && explicit !== second) {
    faults.push({
      code: 'TYPE_CONFLICT',
      path: 'transportType',
      message: '"type" and "transportType" name different transports.',
      hint: 'Keep "type".',
    });
  }
  if (explicit?.includes('${') === true) {
    faults.push({
      code: 'VARIABLE_REFUSED',
      path: type === undefined ? 'transportType' : 'type',
      message: 'The type of the transport can not come from a variable.',
    });
  }

  const command = typeof entry['command'] === 'string';
  if (explicit === undefined && command && firstUrl !== undefined) {
    faults.push({
      code: 'TYPE_CONFLICT',
      path: firstUrl,
      message: 'The entry has a "command" and an address, so its transport is not clear.',
      hint: 'Add "type", or remove one of the two.',
    });
  }
  const implied = command ? 'stdio' : firstUrl === undefined ? undefined : 'http';
  const chosen = explicit ?? implied;
  if (chosen === undefined) {
    faults.push({
      code: 'TYPE_MISSING',
      path: '',
      message: 'The entry says neither "command" nor "url" nor "type".',
      hint: missingTypeHint(Object.keys(entry)),
    });
  }
  if (faults.length > 0 || chosen === undefined) return { faults };
  const oauth = rest['oauth'] === false && { oauth: { enabled: false } };
  return {
    config: { type: chosen, ...rest, ...oauth, ...(firstUrl !== undefined && { url: entry[firstUrl] }) },
  };
}

/** Every way to write a type of transport. */
export function spellingsOf(type: string): readonly string[] {
  return [type, ...Object.keys(SPELLINGS).filter((spelling) => SPELLINGS[spelling] === type)];
}

function canonicalType(written: string): string {
  return Object.hasOwn(SPELLINGS, written) ? (SPELLINGS[written] ?? written) : written;
}
