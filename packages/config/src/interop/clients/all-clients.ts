import { isJsonObject, type JsonValue } from '../../jsonc/json-value.js';
import { PROJECT_PLACEHOLDER } from '../../layout/layout.js';
import { variableReference } from '../../variables/syntax.js';
import { byFields, type ClientFormat, convertFields, type Draft } from './client-format.js';
import {
  EDITOR_VARIABLES,
  NO_VARIABLES,
  translateVariables,
  writeShellVariables,
} from './client-variables.js';
import { codex } from './codex.js';
import { mcporter } from './mcporter.js';
import { opencode } from './opencode.js';
import { zed } from './zed.js';

/** MCP clients whose configuration {@link importServers} reads and {@link exportServers} writes. */
export type InteropClient =
  | 'claude-code'
  | 'claude-desktop'
  | 'codex'
  | 'cursor'
  | 'gemini'
  | 'mcporter'
  | 'opencode'
  | 'vscode'
  | 'windsurf'
  | 'zed';

const JSON_REMOTE = { format: 'json', transports: ['stdio', 'http', 'sse'] } as const;
const CLAUDE_DESKTOP = 'claude_desktop_config.json';

/** The configuration format of each client. */
export const clientFormats: Readonly<Record<InteropClient, ClientFormat>> = {
  /** Fields and variables are nearly the same as ours. @see https://code.claude.com/docs/en/mcp */
  'claude-code': byFields('claude-code', {
    title: 'Claude Code',
    transports: ['stdio', 'http', 'sse', 'ws'],
    format: 'json',
    servers: [['mcpServers']],
    projectServers: ['projects', PROJECT_PLACEHOLDER, 'mcpServers'],
    files: { project: ['.mcp.json'], home: ['.claude.json'] },
    variables: { write: writeShellVariables },
    same: ['type', 'command', 'args', 'env', 'url', 'headers', 'timeout'],
    writes: { oauth: writeClaudeOauth },
  }),

  /** Local servers only, without variables. @see https://modelcontextprotocol.io/docs/develop/connect-local-servers */
  'claude-desktop': byFields('claude-desktop', {
    title: 'Claude Desktop',
    transports: ['stdio'],
    expandsVariables: false,
    format: 'json',
    servers: [['mcpServers']],
    files: {
      home: [
        {
          linux: `.config/Claude/${CLAUDE_DESKTOP}`,
          darwin: `Library/Application Support/Claude/${CLAUDE_DESKTOP}`,
          win32: `AppData/Roaming/Claude/${CLAUDE_DESKTOP}`,
        },
      ],
    },
    variables: NO_VARIABLES,
    same: ['command', 'args', 'env'],
  }),

  codex,

  /** `mcpServers`, with static OAuth credentials under `auth`. @see https://cursor.com/docs/mcp */
  cursor: byFields('cursor', {
    title: 'Cursor',
    ...JSON_REMOTE,
    servers: [['mcpServers']],
    files: { project: ['.cursor/mcp.json'], home: ['.cursor/mcp.json'] },
    variables: EDITOR_VARIABLES,
    same: ['command', 'args', 'env', 'url', 'headers'],
    reads: { auth: readCursorAuth },
    writes: { oauth: writeCursorAuth },
  }),

  /**
   * `url` is Streamable HTTP unless `type` says `sse`; versions before 0.6 read it as SSE, and `httpUrl` as Streamable HTTP.
   * @see https://geminicli.com/docs/tools/mcp-server
   */
  gemini: byFields('gemini', {
    title: 'Gemini CLI',
    ...JSON_REMOTE,
    servers: [['mcpServers']],
    files: { project: ['.gemini/settings.json'], home: ['.gemini/settings.json'] },
    variables: {
      after: (entry) =>
        translateVariables(
          entry,
          /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}|\$([A-Za-z_]\w*)/g,
          ([, name, fallback, bare]) => variableReference(name ?? bare ?? '', fallback),
        ),
      write: writeShellVariables,
    },
    same: [
      'command',
      'args',
      'env',
      'cwd',
      'headers',
      'timeout',
      'trust',
      'description',
      'oauth',
      'authProviderType',
      'targetAudience',
      'targetServiceAccount',
    ],
    beforeRead({ httpUrl, ...entry }) {
      return { entry: httpUrl === undefined ? entry : { ...entry, type: 'http', url: httpUrl }, notes: [] };
    },
    writes: {
      url: (value, draft, { type }) =>
        void Object.assign(draft, type === 'sse' ? { url: value, type } : { httpUrl: value }),
    },
  }),

  mcporter,
  opencode,

  /** `servers` and `inputs`. @see https://code.visualstudio.com/docs/agents/reference/mcp-configuration */
  vscode: byFields('vscode', {
    title: 'VS Code',
    ...JSON_REMOTE,
    sockets: true,
    servers: [['servers'], ['mcp', 'servers'], ['mcpServers']],
    files: {
      project: ['.vscode/mcp.json'],
      home: [
        {
          linux: '.config/Code/User/mcp.json',
          darwin: 'Library/Application Support/Code/User/mcp.json',
          win32: 'AppData/Roaming/Code/User/mcp.json',
        },
      ],
    },
    variables: EDITOR_VARIABLES,
    same: ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers'],
  }),

  /** A remote server has a `serverUrl`. @see https://docs.windsurf.com/windsurf/cascade/mcp */
  windsurf: byFields('windsurf', {
    title: 'Windsurf',
    ...JSON_REMOTE,
    servers: [['mcpServers']],
    files: { home: ['.codeium/windsurf/mcp_config.json'] },
    variables: EDITOR_VARIABLES,
    same: ['command', 'args', 'env', 'headers'],
    writes: { url: 'serverUrl' },
  }),

  zed,
};

function writeClaudeOauth(value: JsonValue, draft: Draft): string | undefined {
  const known = ['clientId', 'callbackPort', 'authServerMetadataUrl', 'scopes'];
  if (!isJsonObject(value)) return '"oauth" has no equivalent in Claude Code and was removed.';
  const kept = Object.entries(value).filter(([field]) => known.includes(field));
  if (kept.length > 0) draft['oauth'] = Object.fromEntries(kept);
  const lost = Object.keys(value).filter((field) => field !== 'enabled' && !known.includes(field));
  return lost.length === 0
    ? undefined
    : `${lost.join(', ')} of "oauth" have no equivalent in Claude Code and were removed.`;
}

function readCursorAuth(value: JsonValue, draft: Draft): string | undefined {
  if (!isJsonObject(value)) return '"auth" is not an object and was removed.';
  const rules = { CLIENT_ID: 'clientId', CLIENT_SECRET: 'clientSecret', scopes: 'scopes' };
  const { entry, notes } = convertFields(value, rules, 'here');
  draft['oauth'] = entry;
  return notes[0];
}

function writeCursorAuth(value: JsonValue, draft: Draft): string | undefined {
  if (!isJsonObject(value)) return '"oauth" has no equivalent in Cursor and was removed.';
  const rules = { clientId: 'CLIENT_ID', clientSecret: 'CLIENT_SECRET', scopes: 'scopes', enabled: null };
  const { entry, notes } = convertFields(value, rules, 'in Cursor');
  if (Object.keys(entry).length > 0) draft['auth'] = entry;
  return notes.length === 0 ? undefined : notes.join(' ');
}
