import { defineLayout, PROJECT_PLACEHOLDER, type FileSource, type KeyPath, type Layout } from './layout.js';

const KEYED: readonly KeyPath[] = [['mcpServers']];
/** Under the key, or at the top level of the file. */
const KEYED_OR_FLAT: readonly KeyPath[] = [['mcpServers'], []];
const PROJECT: KeyPath = ['projects', PROJECT_PLACEHOLDER];

const inFile =
  ({ scope, base }: Pick<FileSource, 'scope' | 'base'>) =>
  (path: string, servers = KEYED): FileSource => ({ scope, base, path, servers });
const user = inFile({ scope: 'user', base: 'home' });
const project = inFile({ scope: 'project', base: 'project' });
const local = inFile({ scope: 'local', base: 'project' });
/** The user's servers for one project, under its path in a file of the home directory. */
const localAtHome = (path: string): FileSource =>
  inFile({ scope: 'local', base: 'home' })(path, [[...PROJECT, 'mcpServers']]);
const enterprise = inFile({ scope: 'enterprise', base: 'system' });
const managed = inFile({ scope: 'managed', base: 'system' });

type Lists = NonNullable<Layout['approvalLists']>[number];
const lists = (path: string, enabled: string, disabled: string, keys: KeyPath = []): Lists => {
  return { path, enabled: [...keys, enabled], disabled: [...keys, disabled] };
};

/**
 * Layouts of `.mcp.json` and of four hosts. To read and write the files of a host of your own, use {@link defineLayout}.
 *
 * @example
 * ```ts
 * const { servers } = await loadConfig({ layout: layouts.claude });
 * ```
 */
export const layouts = {
  /** `.mcp.json` in the project, and no other file. */
  mcpJson: defineLayout({
    name: 'mcp.json',
    sources: [project('.mcp.json', KEYED_OR_FLAT)],
  }),

  /** Blade: `.blade/config.json` in the home directory and the project, and its settings files. */
  blade: defineLayout({
    name: 'blade',
    sources: [
      user('.blade/config.json'),
      project('.blade/config.json'),
      project('.blade/settings.json'),
      project('.mcp.json'),
      local('.blade/settings.local.json'),
    ],
    approvalLists: [lists('.blade/config.json', 'enabledMcpjsonServers', 'disabledMcpjsonServers')],
  }),

  /** Kode: `.mcprc` and `.mcp.json` in the project, `~/.kode.json` for everything else. */
  kode: defineLayout({
    name: 'kode',
    sources: [
      user('.kode.json'),
      user('.mcprc', KEYED_OR_FLAT),
      project('.mcp.json'),
      project('.mcprc', KEYED_OR_FLAT),
      localAtHome('.kode.json'),
    ],
    approvalLists: [lists('.kode.json', 'approvedMcprcServers', 'rejectedMcprcServers', PROJECT)],
  }),

  /** Claude Code: `~/.claude.json` for user and local servers, `.mcp.json` in the project, and managed files. */
  claude: defineLayout({
    name: 'claude',
    sources: [
      managed('managed-mcp.json'),
      user('.claude.json'),
      localAtHome('.claude.json'),
      user('.claude/settings.json'),
      project('.mcp.json', KEYED_OR_FLAT),
      project('.claude/settings.json'),
      local('.claude/settings.local.json'),
    ],
    managedIsExclusive: true,
    systemDirectory: {
      linux: '/etc/claude-code',
      darwin: '/Library/Application Support/ClaudeCode',
      win32: 'C:\\Program Files\\ClaudeCode',
    },
    policies: [
      {
        path: 'managed-settings.json',
        allow: ['allowedMcpServers'],
        deny: ['deniedMcpServers'],
        form: 'rules',
      },
    ],
    approvalLists: [
      lists('.claude.json', 'enabledMcpjsonServers', 'disabledMcpjsonServers', PROJECT),
      lists('.claude/settings.json', 'enabledMcpjsonServers', 'disabledMcpjsonServers'),
    ],
  }),

  /** Gemini CLI: settings files at four levels; the administrator's `settings.json` has the highest precedence. */
  gemini: defineLayout({
    name: 'gemini',
    sources: [
      enterprise('system-defaults.json'),
      user('.gemini/settings.json'),
      project('.gemini/settings.json'),
      managed('settings.json'),
    ],
    systemDirectory: {
      linux: '/etc/gemini-cli',
      darwin: '/Library/Application Support/GeminiCli',
      win32: 'C:\\ProgramData\\gemini-cli',
    },
    policies: [
      { path: 'settings.json', allow: ['mcp', 'allowed'], deny: ['mcp', 'excluded'], form: 'names' },
    ],
    variables: { bare: true },
  }),
} as const;
