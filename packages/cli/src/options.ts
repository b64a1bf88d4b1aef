import type { InteropClient } from '@mcp-fittings/config';
import type { LayoutName } from '@mcp-fittings/preset/toolkit';

/** Options that every command takes, before or after its name. */
export interface GlobalOptions {
  /** Prints one JSON document on stdout instead of text, or one document per line where output continues. */
  readonly json: boolean;
  /** Prints the causes and details of errors, and the log messages of the packages. */
  readonly verbose: boolean;
  /** False with `--no-color`. */
  readonly color: boolean;
  /** Selects the set of configuration files. */
  readonly layout: LayoutName;
  /** Values of `--mcp-config`: files or JSON. Later values win. */
  readonly mcpConfig: readonly string[];
  /** Ignores all servers but those of `--mcp-config`. */
  readonly strictMcpConfig: boolean;
  /** Values of `--plugin`: packages or files with third-party transports and sign-in schemes. */
  readonly plugin: readonly string[];
  /** Runs local servers in the shared process. Undefined: if `FITTINGS_SHARED` is 1. */
  readonly shared?: boolean | undefined;
  /** Undefined: `FITTINGS_STORE`, else the store of the last `login` that named one, else `keychain`. */
  readonly store?: StoreName | undefined;
}

/** Options of the commands that take the URL of a server instead of its name. */
export interface RemoteOptions {
  readonly type?: string;
  readonly header: readonly string[];
  readonly clientId?: string;
  readonly oauthScope: readonly string[];
  readonly account?: string;
  /** Port of the OAuth redirect URI. */
  readonly port?: string;
}

/** Values of `--layout`. */
export const LAYOUT_NAMES = [
  'fittings',
  'mcp-json',
  'blade',
  'kode',
  'claude',
  'gemini',
] as const satisfies readonly LayoutName[];

/** Values of `--store`. */
export const STORE_NAMES = ['keychain', 'file', 'memory'] as const;
/** Names the place where credentials are kept. */
export type StoreName = (typeof STORE_NAMES)[number];

/** Programs whose configuration `import` reads and `export` writes. */
export const FOREIGN_PROGRAMS = [
  'claude-code',
  'claude-desktop',
  'codex',
  'cursor',
  'gemini',
  'mcporter',
  'opencode',
  'vscode',
  'windsurf',
  'zed',
] as const satisfies readonly InteropClient[];

/** Kinds of things that `list` lists. */
export const LIST_KINDS = ['servers', 'tools', 'prompts', 'resources'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** Ways to sign in: in a browser on this machine, with a code on any device, or by pasting the address of the last page. */
export const SIGN_IN_METHODS = ['browser', 'device', 'paste'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** Ways in which `import` treats secrets that an entry holds as text: it replaces them with `${NAME}`, or keeps them. */
export const SECRET_HANDLING = ['variables', 'keep'] as const;
export type SecretHandling = (typeof SECRET_HANDLING)[number];

/** Shells for which `completion` has a script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Kind of file that `generate` writes. */
export type GeneratedKind = 'types' | 'client';

/** First arguments of `generate`. */
export const GENERATED_KINDS = ['types', 'client'] as const satisfies readonly GeneratedKind[];

/** Values of `generate --for`. */
export const CLIENT_CALLERS = ['host', 'sdk', 'sdk-v2'] as const;

/** APIs of models that `init` writes a host for. */
export const MODEL_APIS = ['anthropic', 'openai'] as const;
export type ModelApi = (typeof MODEL_APIS)[number];
