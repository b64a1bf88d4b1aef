import { FittingsError, isRecord, type ServerConfig } from '@mcp-fittings/client-core';
import { parse, stringify } from 'smol-toml';
import { applyChanges } from '../jsonc/apply-changes.js';
import { normalizeEntry } from '../entry/normalize.js';
import { isJsonObject, jsonCopy, type JsonObject } from '../jsonc/json-value.js';
import { bridgeEntry } from './bridge-entry.js';
import { chain, type Conversion, type ClientFormat } from './clients/client-format.js';
import { clientFormats, type InteropClient } from './clients/all-clients.js';

export interface ExportServersOptions {
  readonly to: InteropClient;
  /** As written, with variables: expanded entries would put secrets into the text. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** The present content of the target's file: everything in it is kept. Default: a new file. */
  readonly into?: string | undefined;
}

export interface ExportResult {
  /** The whole content of the target's file. */
  readonly text: string;
  readonly exported: readonly {
    readonly name: string;
    /** What the target can't hold. */
    readonly losses: readonly string[];
  }[];
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * Writes servers the way another program wants them, as text. A server with a transport that the program does not know is
 * written as a bridge (`npx -y @mcp-fittings/cli bridge URL`), without its secrets. Throws `CONFIG_INVALID` when `into` can't be read.
 */
export function exportServers(options: ExportServersOptions): ExportResult {
  const dialect = clientFormats[options.to];
  const entries: [string, JsonObject][] = [];
  const exported: { name: string; losses: readonly string[] }[] = [];
  const failed: { name: string; reason: string }[] = [];
  for (const [name, server] of Object.entries(options.servers)) {
    const converted = convert(name, server, dialect);
    if ('reason' in converted) failed.push({ name, reason: converted.reason });
    else {
      entries.push([name, converted.entry]);
      exported.push({ name, losses: converted.notes });
    }
  }
  const text =
    dialect.format === 'toml'
      ? intoToml(dialect, entries, options.into)
      : intoJson(dialect, entries, options.into);
  return { text, exported, failed };
}

function convert(name: string, server: ServerConfig, dialect: ClientFormat): Conversion {
  const normal = normalizeEntry(jsonCopy(server));
  if ('issues' in normal) return { reason: normal.issues[0]?.message ?? 'It is malformed.' };
  const { apiKey, headers, ...rest } = jsonCopy(normal.config);
  const all = {
    ...(isJsonObject(headers) && headers),
    ...(typeof apiKey === 'string' && { Authorization: `Bearer ${apiKey}` }),
  };
  const entry: JsonObject = { ...rest, ...(Object.keys(all).length > 0 && { headers: all }) };
  const { type, url } = entry;
  if (typeof type === 'string' && dialect.transports.includes(type)) return dialect.write(entry);
  if (typeof url !== 'string')
    return { reason: `${dialect.title} has no transport ${JSON.stringify(type)}.` };
  const bridge = bridgeEntry(name, entry, dialect);
  return chain(bridge, (local) => dialect.write(local));
}

function intoJson(dialect: ClientFormat, entries: readonly [string, JsonObject][], into = '{}\n'): string {
  const [keys = []] = dialect.servers;
  const operations = entries.map(([name, value]) => ({ keys: [...keys, name], value }));
  const text = applyChanges(into, dialect.title, entries.length === 0 ? [{ keys, value: {} }] : operations);
  if (text === undefined) throw unreadable(dialect);
  return text;
}

/** Text of a TOML file is kept as it is; tables of new servers are put behind it. */
function intoToml(dialect: ClientFormat, entries: readonly [string, JsonObject][], into = ''): string {
  const [[key = ''] = []] = dialect.servers;
  let present: unknown;
  try {
    present = parse(into)[key];
  } catch (error) {
    throw unreadable(dialect, error);
  }
  const taken = entries
    .map(([name]) => name)
    .filter((name) => isRecord(present) && Object.hasOwn(present, name));
  if (taken.length > 0) {
    throw new FittingsError(
      'CONFIG_INVALID',
      `The file of ${dialect.title} has servers of these names already: ${taken.join(', ')}.`,
      {
        hint: 'Remove them there, or export under other names.',
      },
    );
  }
  if (entries.length === 0) return into;
  const gap = into === '' || into.endsWith('\n\n') ? '' : into.endsWith('\n') ? '\n' : '\n\n';
  return into + gap + stringify({ [key]: Object.fromEntries(entries) });
}

function unreadable(dialect: ClientFormat, cause?: unknown): FittingsError {
  return new FittingsError('CONFIG_INVALID', `The present file of ${dialect.title} can't be read.`, {
    cause,
  });
}
