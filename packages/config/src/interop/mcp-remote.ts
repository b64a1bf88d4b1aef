import type { ServerConfig } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { isEncryptedOrLocal } from '../entry/url-issues.js';
import { isJsonList, isJsonObject, jsonCopy, type JsonObject, type JsonValue } from '../jsonc/json-value.js';
import { parseTemplate, variableReference } from '../variables/syntax.js';
import { wordsOf, type Conversion } from './clients/client-format.js';

interface Draft {
  url?: string;
  port?: number;
  type?: string;
  readonly headers: Record<string, string>;
  readonly oauth: Record<string, JsonValue>;
  readonly deniedTools: string[];
  readonly notes: string[];
}

/**
 * Converts an entry that runs `npx mcp-remote URL …` to the remote server itself. Undefined for any other entry. `reason`
 * says why such a command line cannot be converted.
 */
export function parseRemoteCommand(config: ServerConfig): Conversion | undefined {
  const words = mcpRemoteWords(config);
  if (words === undefined) return undefined;
  const draft: Draft = { headers: {}, oauth: {}, deniedTools: [], notes: [] };
  const { command: _command, args: _args, cwd: _cwd, type: _type, env, ...rest } = jsonCopy(config);
  const environment = isJsonObject(env) ? env : {};
  const used = new Set<string>();
  const reason = readMcpRemote(words, draft);
  if (reason !== undefined) return { reason };
  const { url, port, headers, oauth, deniedTools, notes } = draft;
  if (url === undefined || !isAddress(url)) return { reason: 'The command line has no URL of a server.' };
  if (!isEncryptedOrLocal(url)) notes.push('The connection is not encrypted.');
  if (port !== undefined) oauth['callbackPort'] = port;
  const named = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, withVariables(value, environment, used, notes)]),
  );
  const members: JsonObject = {
    type: draft.type ?? 'http',
    url,
    ...(Object.keys(named).length > 0 && { headers: named }),
    ...(Object.keys(oauth).length > 0 && { oauth }),
    ...rest,
    ...httpEntryFields(environment, used, notes),
    ...(deniedTools.length > 0 && {
      deniedTools: [...(isJsonList(rest['deniedTools']) ? rest['deniedTools'] : []), ...deniedTools],
    }),
  };
  for (const name of Object.keys(environment)) {
    if (!used.has(name)) notes.push(`"env.${name}" has no meaning for a remote server and was removed.`);
  }
  return { entry: members, notes };
}

const RUNNERS = /^(?:npx|bunx|pnpx|npm|pnpm|yarn|bun)(?:\.(?:cmd|exe|ps1))?$/i;
const SHELL = /^(?:cmd)(?:\.exe)?$/i;
const MCP_REMOTE = /^mcp-remote(?:@[\w.^~<>=*-]+)?$/;

/** The words after `mcp-remote`; undefined for any other program. */
function mcpRemoteWords({ command, args }: ServerConfig): readonly string[] | undefined {
  if (typeof command !== 'string' || !Array.isArray(args)) return undefined;
  let words: readonly string[] = [command, ...args.map(String)];
  if (SHELL.test(baseName(words[0])) && /^\/[cs]$/i.test(words[1] ?? '')) words = words.slice(2);
  const program = baseName(words[0]);
  if (RUNNERS.test(program)) {
    const name = words.findIndex(
      (word, index) => index > 0 && MCP_REMOTE.test(word) && !isPackageOption(words[index - 1]),
    );
    if (name === -1 || !words.slice(1, name).every(isRunnerWord)) return undefined;
    words = words.slice(name);
  } else words = [program.replace(/\.(?:cmd|exe|ps1)$/i, ''), ...words.slice(1)];
  const [first = '', ...rest] = words;
  return MCP_REMOTE.test(first) ? rest : undefined;
}

function baseName(path: string | undefined): string {
  return path?.split(/[/\\]/).at(-1) ?? '';
}

function isPackageOption(word: string | undefined): boolean {
  return word === '-p' || word === '--package';
}

/** Returns true if a word may precede the name of the package on an `npx` command line. */
function isRunnerWord(word: string): boolean {
  return word.startsWith('-') || ['exec', 'dlx', 'x'].includes(word) || MCP_REMOTE.test(word);
}

const TAKES_VALUE: ReadonlySet<string> = new Set([
  '--header',
  '--transport',
  '--host',
  '--static-oauth-client-metadata',
  '--static-oauth-client-info',
  '--resource',
  '--ignore-tool',
  '--auth-timeout',
]);
const NEEDS_NOTHING: ReadonlySet<string> = new Set(['--allow-http', '--debug', '--silent', '--enable-proxy']);

/** @see https://github.com/geelen/mcp-remote */
function readMcpRemote(words: readonly string[], draft: Draft): string | undefined {
  const plain: string[] = [];
  let host = 'localhost';
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) plain.push(word);
    else if (TAKES_VALUE.has(word)) {
      at += 1;
      const value = words[at];
      if (value === undefined) return `The option "${word}" of mcp-remote has no value.`;
      if (word === '--host') host = value;
      const reason = readOption(word, value, draft);
      if (reason !== undefined) return reason;
    } else if (!NEEDS_NOTHING.has(word)) return `The option "${word}" of mcp-remote is not supported.`;
  }
  const [url, port] = plain;
  if (url !== undefined) draft.url = url;
  if (port !== undefined) {
    draft.port = Number.parseInt(port, 10);
    if (!isPort(draft.port)) return `${JSON.stringify(port)} is not a valid port.`;
  }
  if (draft.oauth['clientId'] === undefined) return undefined;
  // A client that was registered for mcp-remote has its redirect URI.
  if (draft.port === undefined) {
    draft.notes.push('Set "oauth.redirectUri" to the redirect URI that is registered for the OAuth client.');
  } else if (['localhost', '127.0.0.1', '[::1]'].includes(host)) {
    draft.oauth['redirectUri'] = `http://${host}:${String(draft.port)}/oauth/callback`;
  } else
    draft.notes.push(
      `The sign-in cannot redirect to the host ${JSON.stringify(host)}; only loopback hosts are supported.`,
    );
  return undefined;
}

function readOption(name: string, value: string, draft: Draft): string | undefined {
  const { notes, oauth, deniedTools } = draft;
  switch (name) {
    case '--header':
      readHeader(value, draft);
      return undefined;
    case '--transport':
      // The http transport falls back to sse by itself, so only `sse-only` needs a type.
      if (value === 'sse-only') draft.type = 'sse';
      return undefined;
    case '--ignore-tool':
      deniedTools.push(value);
      return undefined;
    case '--resource':
      notes.push('The option "--resource" of mcp-remote has no equivalent here and was removed.');
      return undefined;
    case '--static-oauth-client-info': {
      const info = objectIn(value);
      if (info === undefined) return 'The value of "--static-oauth-client-info" is not a JSON object.';
      if (typeof info['client_id'] === 'string') oauth['clientId'] = info['client_id'];
      if (typeof info['client_secret'] === 'string') oauth['clientSecret'] = info['client_secret'];
      return undefined;
    }
    case '--static-oauth-client-metadata': {
      const metadata = objectIn(value);
      if (metadata === undefined)
        return 'The value of "--static-oauth-client-metadata" is not a JSON object.';
      const { scope, ...others } = metadata;
      if (typeof scope === 'string') oauth['scopes'] = wordsOf(scope);
      for (const field of Object.keys(others))
        notes.push(`"${field}" of "--static-oauth-client-metadata" was removed.`);
      return undefined;
    }
    default:
      return undefined;
  }
}

function readHeader(text: string, { headers, notes }: Draft): void {
  const [, name, value = ''] = /^([A-Za-z0-9_-]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined) notes.push('A "--header" without a name and a colon was removed.');
  else headers[name] = value.trim();
}

/**
 * `mcp-remote` expands `${NAME}` by itself, so a literal `${NAME}` in the client's entry is a variable. If
 * `env` sets it to a text, that text is not copied into the header, because it may be a secret.
 */
function withVariables(text: string, env: JsonObject, used: Set<string>, notes: string[]): string {
  return parseTemplate(unescaped(text), false)
    .map((part) => {
      if (part.kind !== 'variable') return part.text.replaceAll('${', () => '$${');
      const value = Object.hasOwn(env, part.name) ? env[part.name] : undefined;
      if (typeof value !== 'string') return part.text;
      const isNew = !used.has(part.name);
      used.add(part.name);
      if (parseTemplate(value, false).some(({ kind }) => kind === 'variable')) return value;
      if (isNew)
        notes.push(
          `Set ${part.name} in the environment: its value in "env" was not imported, because it may be a secret.`,
        );
      return variableReference(part.name) ?? part.text;
    })
    .join('');
}

/** Turns a literal `$${NAME}` into the variable that the program expands. */
function unescaped(text: string): string {
  return text.replaceAll(/\$(\$\{[A-Za-z_]\w*(?::-[^}]*)?\})/g, '$1');
}

/** Converts variables that configure the network of Node.js programs to fields. */
function httpEntryFields(env: JsonObject, used: Set<string>, notes: string[]): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(env)) {
    if (typeof value !== 'string') continue;
    if (/^https?_proxy$/i.test(name)) {
      used.add(name);
      result['proxy'] ??= value;
    } else if (name === 'MCP_REMOTE_CONFIG_DIR') used.add(name);
    else if (name === 'NODE_TLS_REJECT_UNAUTHORIZED') {
      used.add(name);
      notes.push(
        'NODE_TLS_REJECT_UNAUTHORIZED was removed: certificates are always verified. Set "ca" to trust your own authority.',
      );
    }
  }
  return result;
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? jsonCopy(value) : undefined;
  } catch {
    return undefined;
  }
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

/** Returns true if a text is a URL, or may become one when its variables are expanded. */
function isAddress(text: string): boolean {
  if (parseTemplate(text, false).some(({ kind }) => kind === 'variable'))
    return /^(?:https?:|\$\{)/i.test(text);
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
