import { defineLayout, PROJECT_PLACEHOLDER, type KeyPath } from './layout.js';

const KEYED: readonly KeyPath[] = [['mcpServers']];
/** Under the key, or at the top level of the file. */
const KEYED_OR_FLAT: readonly KeyPath[] = [['mcpServers'], []];

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
    sources: [{ scope: 'project', base: 'project', path: '.mcp.json', servers: KEYED_OR_FLAT }],
  }),

  /** Blade: `.blade/config.json` in the home directory and the project, and its settings files. */
  blade: defineLayout({
    name: 'blade',
    sources: [
      { scope: 'user', base: 'home', path: '.blade/config.json', servers: KEYED },
      { scope: 'project', base: 'project', path: '.blade/config.json', servers: KEYED },
      { scope: 'project', base: 'project', path: '.blade/settings.json', servers: KEYED },
      { scope: 'project', base: 'project', path: '.mcp.json', servers: KEYED },
      { scope: 'local', base: 'project', path: '.blade/settings.local.json', servers: KEYED },
    ],
    approvalLists: [
      {
        path: '.blade/config.json',
        enabled: ['enabledMcpjsonServers'],
        disabled: ['disabledMcpjsonServers'],
      },
    ],
  }),

  /** Kode: `.mcprc` and `.mcp.json` in the project, `~/.kode.json` for everything else. */
  kode: defineLayout({
    name: 'kode',
    sources: [
      { scope: 'user', base: 'home', path: '.kode.json', servers: KEYED },
      { scope: 'user', base: 'home', path: '.mcprc', servers: KEYED_OR_FLAT },
      { scope: 'project', base: 'project', path: '.mcp.json', servers: KEYED },
      { scope: 'project', base: 'project', path: '.mcprc', servers: KEYED_OR_FLAT },
      {
        scope: 'local',
        base: 'home',
        path: '.kode.json',
        servers: [['projects', PROJECT_PLACEHOLDER, 'mcpServers']],
      },
    ],
    approvalLists: [
      {
        path: '.kode.json',
        enabled: ['projects', PROJECT_PLACEHOLDER, 'approvedMcprcServers'],
        disabled: ['projects', PROJECT_PLACEHOLDER, 'rejectedMcprcServers'],
      },
    ],
  }),

  /** Claude Code: `~/.claude.json` for user and local servers, `.mcp.json` in the project, and managed files. */
  claude: defineLayout({
    name: 'claude',
    sources: [
      { scope: 'managed', base: 'system', path: 'managed-mcp.json', servers: KEYED },
      { scope: 'user', base: 'home', path: '.claude.json', servers: KEYED },
      {
        scope: 'local',
        base: 'home',
        path: '.claude.json',
        servers: [['projects', PROJECT_PLACEHOLDER, 'mcpServers']],
      },
      { scope: 'user', base: 'home', path: '.claude/settings.json', servers: KEYED },
      { scope: 'project', base: 'project', path: '.mcp.json', servers: KEYED_OR_FLAT },
      { scope: 'project', base: 'project', path: '.claude/settings.json', servers: KEYED },
      { scope: 'local', base: 'project', path: '.claude/settings.local.json', servers: KEYED },
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
      {
        path: '.claude.json',
        enabled: ['projects', PROJECT_PLACEHOLDER, 'enabledMcpjsonServers'],
        disabled: ['projects', PROJECT_PLACEHOLDER, 'disabledMcpjsonServers'],
      },
      {
        path: '.claude/settings.json',
        enabled: ['enabledMcpjsonServers'],
        disabled: ['disabledMcpjsonServers'],
      },
    ],
  }),

  /** Gemini CLI: settings files at four levels; the administrator's `settings.json` has the highest precedence. */
  gemini: defineLayout({
    name: 'gemini',
    sources: [
      { scope: 'enterprise', base: 'system', path: 'system-defaults.json', servers: KEYED },
      { scope: 'user', base: 'home', path: '.gemini/settings.json', servers: KEYED },
      { scope: 'project', base: 'project', path: '.gemini/settings.json', servers: KEYED },
      { scope: 'managed', base: 'system', path: 'settings.json', servers: KEYED },
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
