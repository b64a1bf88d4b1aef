import { defineLayout, PROJECT_PLACEHOLDER, type KeyPath } from './layout.js';

const KEYED: readonly KeyPath[] = [['mcpServers']];
/** With the key, or the file itself as the map. */
const KEYED_OR_FLAT: readonly KeyPath[] = [['mcpServers'], []];

/** The file places of five hosts. Copy one and change it to get your own. */
export const layouts = {
  /** `.mcp.json` in the project, and nothing else. */
  mcpJson: defineLayout({
    name: 'mcp.json',
    sources: [{ scope: 'project', base: 'project', path: '.mcp.json', servers: KEYED_OR_FLAT }],
  }),

  /** Blade: `config.json` for servers; settings files may name some too. */
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

  /** Kode: `.mcprc` and `.mcp.json` in the project, one file with everything in the home directory. */
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

  /** Claude Code: user and local servers in one file of the home directory, managed files of an administrator. */
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

  /** Gemini CLI: settings files at four levels, the administrator's overrides having the last word. */
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
