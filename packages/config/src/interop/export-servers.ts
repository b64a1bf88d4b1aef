import { resolve } from 'node:path';
import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { isSocketUrl } from '@mcp-fittings/toolbox/connect';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { parse, stringify } from 'smol-toml';
import { printable } from '../display-text.js';
import { refusal, writablePath } from '../edit/editable-file.js';
import { normalizeEntry } from '../entry/normalize.js';
import { withFileLock } from '../files/file-lock.js';
import { DEFAULT_MAX_FILE_BYTES, readTextFile } from '../files/read-file.js';
import { applyChanges } from '../jsonc/apply-changes.js';
import { isJsonObject, jsonCopy, type JsonObject } from '../jsonc/json-value.js';
import { usedInputs } from '../variables/inputs.js';
import { bridgeEntry } from './bridge-entry.js';
import { clientFormats, type InteropClient } from './clients/all-clients.js';
import { chain, type Conversion, type ClientFormat } from './clients/client-format.js';

/** Options of {@link exportServers}. */
export interface ExportServersOptions {
  /** The client whose format is written. */
  readonly to: InteropClient;
  /** Entries by name, as written: pass {@link ServerEntry.definition}, because expanded entries contain secrets. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** Present content of the client's file, all of which is kept. Default: a new file. */
  readonly into?: string | undefined;
}

/** The result of {@link exportServers}. */
export interface ExportResult {
  /** The whole content of the client's file. */
  readonly text: string;
  /** The servers in {@link text}. */
  readonly exported: readonly {
    /** Name of the server. */
    readonly name: string;
    /** Losses of the conversion to the client's format, one sentence each. */
    readonly losses: readonly string[];
  }[];
  /** The servers that could not be converted. */
  readonly failed: readonly {
    /** Name of the server. */
    readonly name: string;
    /** Reason why it could not be converted, as a sentence. */
    readonly reason: string;
  }[];
}

/**
 * Converts servers to the configuration format of another MCP client and returns the text of its file. A server with a
 * transport that the client does not support is written as a bridge (`npx -y @mcp-fittings/cli bridge URL`), without its
 * secrets. Throws `CONFIG_INVALID` if `into` is invalid, or if it is TOML and already has a server of the same name, or all
 * servers in one inline table.
 *
 * @example
 * ```ts
 * const servers = { docs: { url: 'https://example.com/mcp' } };
 * const { text, exported } = exportServers({ to: 'claude-desktop', servers });
 * await writeFile('claude_desktop_config.json', text);
 * ```
 */
export function exportServers(options: ExportServersOptions): ExportResult {
  const client = clientFormats[options.to];
  const entries: [string, JsonObject][] = [];
  const exported: { name: string; losses: readonly string[] }[] = [];
  const failed: { name: string; reason: string }[] = [];
  for (const [name, server] of Object.entries(options.servers)) {
    const converted = convert(name, server, client);
    if ('reason' in converted) failed.push({ name, reason: converted.reason });
    else {
      entries.push([name, converted.entry]);
      exported.push({ name, losses: converted.notes });
    }
  }
  const text =
    client.format === 'toml'
      ? intoToml(client, entries, options.into)
      : intoJson(client, entries, options.into);
  return { text, exported, failed };
}

/**
 * Writes servers into the file of another MCP client, whose other content is kept, and returns what {@link exportServers} does. The
 * write is atomic and locked, and symbolic links are followed. A new file can be read by this user only.
 *
 * Rejects with `CONFIG_INVALID` if the file cannot be read or is invalid, and with `CONFIG_READ_ONLY`, `CONFIG_WRITE_FAILED` or
 * `TIMEOUT` if it cannot be written.
 *
 * @example
 * ```ts
 * const servers = { docs: { url: 'https://example.com/mcp' } };
 * await exportToFile('claude_desktop_config.json', { to: 'claude-desktop', servers });
 * ```
 */
export async function exportToFile(
  file: string,
  options: Omit<ExportServersOptions, 'into'>,
): Promise<ExportResult> {
  const path = await writablePath(resolve(file));
  return withFileLock(path, { mode: 0o600, directoryMode: 0o700 }, async (write) => {
    const outcome = await readTextFile(path, { maxBytes: DEFAULT_MAX_FILE_BYTES });
    if (outcome.kind === 'refused') throw refusal(outcome.problem);
    const into = outcome.kind === 'text' ? outcome.text : undefined;
    const result = exportServers({ ...options, into });
    await write(result.text, into);
    return result;
  });
}

function convert(name: string, server: ServerConfig, client: ClientFormat): Conversion {
  const normal = normalizeEntry(jsonCopy(server));
  if ('issues' in normal) return { reason: normal.issues[0]?.message ?? 'The entry is invalid.' };
  const denied = ['readPermission', 'writePermission'].find((field) => normal.config[field] === 'deny');
  if (denied !== undefined)
    return {
      reason: `"${denied}" denies tools that could run in ${client.title}, which has no word for it.`,
    };
  const [input] = usedInputs(normal.config, false);
  if (input !== undefined)
    return { reason: `"${input[1]}" asks for the input "${printable(input[0])}": write a variable there.` };
  const { apiKey, headers, ...rest } = jsonCopy(normal.config);
  const all = {
    ...(isJsonObject(headers) && headers),
    ...(typeof apiKey === 'string' && { Authorization: `Bearer ${apiKey}` }),
  };
  const entry: JsonObject = { ...rest, ...(Object.keys(all).length > 0 && { headers: all }) };
  const { type, url } = entry;
  const reaches = client.sockets === true || typeof url !== 'string' || !isSocketUrl(url);
  if (typeof type === 'string' && client.transports.includes(type) && reaches) return client.write(entry);
  if (typeof url !== 'string')
    return { reason: `${client.title} does not support the transport ${JSON.stringify(type)}.` };
  const bridge = bridgeEntry(name, entry, client);
  return chain(bridge, (local) => client.write(local));
}

function intoJson(client: ClientFormat, entries: readonly [string, JsonObject][], into = '{}\n'): string {
  const [keys = []] = client.servers;
  const operations = entries.map(([name, value]) => ({ keys: [...keys, name], value }));
  const text = applyChanges(into, client.title, entries.length === 0 ? [{ keys, value: {} }] : operations);
  if (text === undefined) throw unreadable(client);
  return text;
}

/** Appends tables for the new servers; the text of a TOML file is kept as it is. */
function intoToml(client: ClientFormat, entries: readonly [string, JsonObject][], into = ''): string {
  const [[key = ''] = []] = client.servers;
  let present: unknown;
  try {
    present = parse(into.replace(/^\uFEFF/, ''))[key];
  } catch (error) {
    throw unreadable(client, error);
  }
  const taken = entries
    .map(([name]) => name)
    .filter((name) => isRecord(present) && Object.hasOwn(present, name));
  if (taken.length > 0) {
    throw new FittingsError(
      'CONFIG_INVALID',
      `The configuration of ${client.title} already has servers with these names: ${taken.join(', ')}.`,
      {
        hint: 'Remove them from the file, or export under other names.',
      },
    );
  }
  if (entries.length === 0) return into;
  const gap = into === '' || into.endsWith('\n\n') ? '' : into.endsWith('\n') ? '\n' : '\n\n';
  const text = into + gap + stringify({ [key]: Object.fromEntries(entries) });
  try {
    parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    const message = `Cannot add servers to "${key}" of ${client.title}, which is written as one value.`;
    const hint = `Write each server that it has as a table of its own: [${key}.NAME].`;
    throw new FittingsError('CONFIG_INVALID', message, { hint, cause });
  }
  return text;
}

function unreadable(client: ClientFormat, cause?: unknown): FittingsError {
  return new FittingsError('CONFIG_INVALID', `The present configuration of ${client.title} is invalid.`, {
    cause,
  });
}
