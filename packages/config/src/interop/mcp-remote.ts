import { isRecord, type ServerConfig } from '@mcp-fittings/client-core';
import { parseTemplate, variableReference } from '../variables/syntax.js';
import { isJsonObject, jsonCopy, type JsonObject, type JsonValue } from '../jsonc/json-value.js';

/** A remote server that an entry reaches through a local program, as an entry of its own. */
export interface RemoteServer {
  /** With `url` in place of `command`. */
  readonly entry: JsonObject;
  readonly notes: readonly string[];
}

/** What a command line says after the name of the program. */
interface Words {
  readonly program: 'mcp-remote' | 'fittings bridge';
  readonly rest: readonly string[];
}

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
 * The remote server behind `npx mcp-remote URL …` or `npx @mcp-fittings/cli bridge URL …`; undefined for any other
 * entry. `reason`: such a line, with something that cannot be said by an entry.
 */
export function parseRemoteCommand(
  config: ServerConfig,
): RemoteServer | { readonly reason: string } | undefined {
  const words = remoteCommandWords(config);
  if (words === undefined) return undefined;
  const draft: Draft = { headers: {}, oauth: {}, deniedTools: [], notes: [] };
  const { command: _command, args: _args, cwd: _cwd, type: _type, env, ...rest } = jsonCopy(config);
  const environment = isJsonObject(env) ? env : {};
  const used = new Set<string>();
  const reason =
    words.program === 'mcp-remote' ? readMcpRemote(words.rest, draft) : readBridge(words.rest, draft);
  if (reason !== undefined) return { reason };
  const { url, port, headers, oauth, deniedTools, notes } = draft;
  if (url === undefined || !isAddress(url)) return { reason: 'It does not name the URL of a server.' };
  if (/^http:/i.test(url) && !isLoopback(url)) notes.push('The connection is not encrypted.');
  if (port !== undefined) oauth['callbackPort'] = port;
  const named = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, withVariables(value, environment, used, notes)]),
  );
  const members: JsonObject = {
    type: draft.type ?? (/^wss?:/i.test(url) ? 'ws' : 'http'),
    url,
    ...(Object.keys(named).length > 0 && { headers: named }),
    ...(Object.keys(oauth).length > 0 && { oauth }),
    ...rest,
    ...networkFields(environment, used, notes),
    ...(deniedTools.length > 0 && { deniedTools: [...listOf(rest['deniedTools']), ...deniedTools] }),
  };
  for (const name of Object.keys(environment)) {
    if (!used.has(name)) notes.push(`"env.${name}" has no meaning for a remote server and was left out.`);
  }
  return { entry: members, notes };
}

const RUNNERS = /^(?:npx|bunx|pnpx|npm|pnpm|yarn|bun)(?:\.(?:cmd|exe|ps1))?$/i;
const SHELL = /^(?:cmd)(?:\.exe)?$/i;
const MCP_REMOTE = /^mcp-remote(?:@[\w.^~<>=*-]+)?$/;
const BRIDGE_PACKAGE = /^@mcp-fittings\/cli(?:@[\w.^~<>=*-]+)?$/;

/** The words after the program, where it is one of those that lead to a remote server. */
function remoteCommandWords({ command, args }: ServerConfig): Words | undefined {
  if (typeof command !== 'string' || !Array.isArray(args)) return undefined;
  let words: readonly string[] = [command, ...args.map(String)];
  if (SHELL.test(baseName(words[0])) && /^\/[cs]$/i.test(words[1] ?? '')) words = words.slice(2);
  const program = baseName(words[0]);
  if (RUNNERS.test(program)) {
    const name = words.findIndex(
      (word, index) => index > 0 && isPackage(word) && !isPackageOption(words[index - 1]),
    );
    if (name === -1 || !words.slice(1, name).every(isRunnerWord)) return undefined;
    words = words.slice(name);
  } else words = [program.replace(/\.(?:cmd|exe|ps1)$/i, ''), ...words.slice(1)];
  const [first = '', ...rest] = words;
  if (MCP_REMOTE.test(first)) return { program: 'mcp-remote', rest };
  const isOurs = BRIDGE_PACKAGE.test(first) || first === 'fittings';
  if (!isOurs || rest[0] !== 'bridge' || !rest.some((word) => isAddress(unescaped(word)))) return undefined;
  return { program: 'fittings bridge', rest: rest.slice(1) };
}

function baseName(path: string | undefined): string {
  return path?.split(/[/\\]/).at(-1) ?? '';
}

function isPackage(word: string): boolean {
  return MCP_REMOTE.test(word) || BRIDGE_PACKAGE.test(word) || word === 'fittings';
}

function isPackageOption(word: string | undefined): boolean {
  return word === '-p' || word === '--package';
}

/** What may stand between `npx` and the name of the program. */
function isRunnerWord(word: string): boolean {
  return word.startsWith('-') || ['exec', 'dlx', 'x'].includes(word) || isPackage(word);
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
      if (value === undefined) return `"${word}" of mcp-remote has no value.`;
      if (word === '--host') host = value;
      const reason = readOption(word, value, draft);
      if (reason !== undefined) return reason;
    } else if (!NEEDS_NOTHING.has(word)) return `"${word}" of mcp-remote is unknown here.`;
  }
  const [url, port] = plain;
  if (url !== undefined) draft.url = url;
  if (port !== undefined) {
    draft.port = Number.parseInt(port, 10);
    if (!isPort(draft.port)) return `${JSON.stringify(port)} is not a port.`;
  }
  if (draft.oauth['clientId'] === undefined) return undefined;
  // A registered client has the redirect URI of mcp-remote.
  if (draft.port === undefined) {
    draft.notes.push('The OAuth client needs a redirect URI: set "oauth.redirectUri" to the registered one.');
  } else if (['localhost', '127.0.0.1', '[::1]'].includes(host)) {
    draft.oauth['redirectUri'] = `http://${host}:${String(draft.port)}/oauth/callback`;
  } else draft.notes.push(`A sign-in cannot come back to the host ${JSON.stringify(host)} here.`);
  return undefined;
}

function readOption(name: string, value: string, draft: Draft): string | undefined {
  const { notes, oauth, deniedTools } = draft;
  switch (name) {
    case '--header':
      readHeader(value, draft);
      return undefined;
    case '--transport':
      // Ours falls back from one to the other by itself.
      if (value === 'sse-only') draft.type = 'sse';
      return undefined;
    case '--ignore-tool':
      deniedTools.push(value);
      return undefined;
    case '--resource':
      notes.push('"--resource" of mcp-remote has no counterpart here and was left out.');
      return undefined;
    case '--static-oauth-client-info': {
      const info = objectIn(value);
      if (info === undefined) return '"--static-oauth-client-info" is a file or is not JSON.';
      if (typeof info['client_id'] === 'string') oauth['clientId'] = info['client_id'];
      if (typeof info['client_secret'] === 'string') oauth['clientSecret'] = info['client_secret'];
      return undefined;
    }
    case '--static-oauth-client-metadata': {
      const metadata = objectIn(value);
      if (metadata === undefined) return '"--static-oauth-client-metadata" is a file or is not JSON.';
      const { scope, ...others } = metadata;
      if (typeof scope === 'string') oauth['scopes'] = scope.split(/\s+/).filter((each) => each !== '');
      for (const field of Object.keys(others))
        notes.push(`"${field}" of "--static-oauth-client-metadata" was left out.`);
      return undefined;
    }
    default:
      return undefined;
  }
}

function readHeader(text: string, { headers, notes }: Draft): void {
  const [, name, value = ''] = /^([A-Za-z0-9_-]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined) notes.push('A "--header" without a name and a colon was left out.');
  else headers[name] = value.trim();
}

/** The command line that `export` writes, and what a user may have added to it. */
function readBridge(words: readonly string[], draft: Draft): string | undefined {
  const plain: string[] = [];
  const scopes: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const [word = '', attached] = /^(--[\w-]+)=(.*)$/s.exec(words[at] ?? '')?.slice(1) ?? [words[at]];
    if (!word.startsWith('-')) {
      plain.push(word);
      continue;
    }
    if (word === '--no-sign-in') {
      draft.oauth['enabled'] = false;
      continue;
    }
    if (attached === undefined) at += 1;
    const value = attached ?? words[at];
    if (value === undefined) return `"${word}" of fittings bridge has no value.`;
    if (word === '--header' || word === '-H') readHeader(value, draft);
    else if (word === '--type' || word === '-t') draft.type = value;
    else if (word === '--client-id') draft.oauth['clientId'] = unescaped(value);
    else if (word === '--oauth-scope') scopes.push(value);
    else if (word === '--port') draft.port = Number(value);
    else if (word !== '--store') return `"${word}" of fittings bridge has no counterpart in an entry.`;
  }
  const [url, port] = plain;
  if (url !== undefined) draft.url = unescaped(url);
  if (port !== undefined) draft.port ??= Number(port);
  if (draft.port !== undefined && !isPort(draft.port)) return 'The port of the redirect URI is not a port.';
  if (scopes.length > 0) draft.oauth['scopes'] = scopes;
  return undefined;
}

/**
 * The program replaces `${NAME}` by itself, so that a text which its host takes literally is a variable. What the entry
 * sets to a text is not written into the header: it may be a secret.
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
      if (isNew) notes.push(`Set ${part.name} in the environment: its value in "env" was not taken over.`);
      return variableReference(part.name) ?? part.text;
    })
    .join('');
}

/** A literal `${NAME}` as the variable that it is for the program. */
function unescaped(text: string): string {
  return text.replaceAll(/\$(\$\{[A-Za-z_]\w*(?::-[^}]*)?\})/g, '$1');
}

/** Settings of Node.js that an entry has fields for. */
function networkFields(env: JsonObject, used: Set<string>, notes: string[]): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(env)) {
    if (typeof value !== 'string') continue;
    if (/^https?_proxy$/i.test(name)) {
      used.add(name);
      result['proxy'] ??= value;
    } else if (name === 'MCP_REMOTE_CONFIG_DIR') used.add(name);
    else if (name === 'NODE_TLS_REJECT_UNAUTHORIZED') {
      used.add(name);
      notes.push('Certificates are checked here; name an authority of your own in "ca".');
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

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

/** A variable may hold a part of it, or all. */
function isAddress(text: string): boolean {
  if (parseTemplate(text, false).some(({ kind }) => kind === 'variable'))
    return /^(?:https?:|wss?:|\$\{)/i.test(text);
  return /^(?:https?|wss?):\/\//i.test(text) && URL.canParse(text);
}

function isLoopback(text: string): boolean {
  return /^\w+:\/\/(?:localhost|127\.|\[::1\])/i.test(text);
}
