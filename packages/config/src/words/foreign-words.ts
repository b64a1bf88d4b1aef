import { isRecord } from '@mcp-fittings/toolbox/messages';
import { isJsonList, type JsonValue } from '../jsonc/json-value.js';

/** The words of one program for what an entry of ours says with other words. */
export interface ProgramWords {
  /** The field that switches a server off, and the value that does so. */
  readonly off?: readonly [field: string, value: boolean];
  /** The field that lists tools which never run. */
  readonly denied?: string;
  /** The field that lists the only tools which are offered. */
  readonly only?: string;
  /** Other names of our fields, by the name that the program uses. */
  readonly names?: Readonly<Record<string, string>>;
  /** Fields that count seconds where ours count milliseconds, with the name of ours. */
  readonly seconds?: Readonly<Record<string, string>>;
  /** Fields by which the user grants something to that program. */
  readonly grants?: readonly string[];
  /** Fields that have no equivalent, and what to do about it. */
  readonly lost?: Readonly<Record<string, string>>;
}

const HEADERS_HELPER = 'Set the headers in "headers", with a variable for what changes.';
const ENV_FILE = 'Set the variables in "env".';
const SANDBOX = 'The server runs without a sandbox.';
const SECONDS = { timeout: 'timeout' } as const;

/**
 * The words of other programs. What switches off a server or a tool is obeyed in every file, whichever program it was written
 * for; the other fields are converted by an import, and named in a warning by `loadConfig`. To support another program, add
 * a row.
 */
export const PROGRAMS = {
  'claude-code': { lost: { headersHelper: HEADERS_HELPER, alwaysLoad: 'All tools are offered.' } },
  'claude-desktop': {},
  codex: {
    off: ['enabled', false],
    denied: 'disabled_tools',
    only: 'enabled_tools',
    names: { http_headers: 'headers', scopes: 'oauth.scopes' },
    seconds: { tool_timeout_sec: 'timeout', startup_timeout_sec: 'connectTimeout' },
    grants: ['default_tools_approval_mode'],
  },
  cursor: { lost: { envFile: ENV_FILE } },
  gemini: { denied: 'excludeTools', only: 'includeTools', names: { httpUrl: 'url' } },
  mcporter: {
    denied: 'blockedTools',
    only: 'allowedTools',
    names: { baseUrl: 'url', oauthRedirectUrl: 'oauth.redirectUri' },
  },
  opencode: { off: ['disabled', true], names: { environment: 'env' } },
  vscode: { lost: { envFile: ENV_FILE, sandboxEnabled: SANDBOX, sandbox: SANDBOX } },
  windsurf: { off: ['disabled', true], denied: 'disabledTools', names: { serverUrl: 'url' } },
  zed: { off: ['enabled', false], seconds: SECONDS },
  // Programs that are neither imported from nor exported to. People copy their entries.
  'amazon-q': { off: ['disabled', true], denied: 'disabledTools', names: { oauthScopes: 'oauth.scopes' } },
  'anything-llm': { off: ['anythingllm.autoStart', false], denied: 'anythingllm.suppressedTools' },
  'cherry-studio': { off: ['isActive', false], denied: 'disabledTools' },
  cline: { off: ['disabled', true], seconds: SECONDS, grants: ['autoApprove', 'alwaysAllow'] },
  continue: { names: { connectionTimeout: 'connectTimeout', transport: 'type' } },
  'copilot-cli': { only: 'tools', denied: 'excludeTools' },
  crush: { off: ['disabled', true], denied: 'disabled_tools', only: 'enabled_tools', seconds: SECONDS },
  goose: {
    off: ['enabled', false],
    only: 'available_tools',
    names: { cmd: 'command', envs: 'env', uri: 'url', env_keys: 'inheritEnv' },
    seconds: SECONDS,
  },
  jan: { off: ['active', false] },
  'lm-studio': { off: ['enabled', false] },
  roo: { off: ['disabled', true], denied: 'disabledTools', only: 'onlyAllow', grants: ['alwaysAllow'] },
  warp: { off: ['start_on_launch', false], names: { working_directory: 'cwd' } },
  // Spellings that appear in files of many programs.
  others: { off: ['disable', true], denied: 'denyTools', only: 'allowOnlyTools' },
  agents: {
    off: ['isEnabled', false],
    denied: 'disallowedTools',
    grants: ['autoApprove', 'approved', 'trusted'],
  },
  filters: { off: ['isDisabled', true], denied: 'excludedTools', only: 'includedTools' },
  lists: { denied: 'toolBlacklist', only: 'toolWhitelist' },
  blocks: { denied: 'toolBlocklist', only: 'toolAllowlist' },
} as const satisfies Readonly<Record<string, ProgramWords>>;

/** Values of `type` that mean another. */
export const TYPE_WORDS: Readonly<Record<string, string>> = {
  'streamable-http': 'http',
  streamable_http: 'http',
  streamableHttp: 'http',
  streamablehttp: 'http',
  streamable: 'http',
  remote: 'http',
  local: 'stdio',
  websocket: 'ws',
};

/** Values of `authProviderType` that mean another. */
export const AUTH_WORDS: Readonly<Record<string, string>> = {
  google: 'google_credentials',
  'sa-impersonation': 'service_account_impersonation',
};

const ROOT_OF_PROJECT = 'Write ${workspaceFolder}.';

/** Variables of editors, which are no environment variables, and what to write in their place. */
export const VARIABLE_WORDS: Readonly<Record<string, string>> = {
  workspaceFolderBasename: 'Write the name of the folder.',
  workspaceRoot: ROOT_OF_PROJECT,
  workspacePath: ROOT_OF_PROJECT,
  extensionPath: 'Write the path of the extension.',
  userHome: 'Write ${HOME}.',
  file: 'Write the path.',
  fileDirname: 'Write the path.',
  execPath: 'Write the path.',
  pathSeparator: 'Write / or \\\\.',
};

/** Meaning of a field. `field`: it is another name of ours. */
export type Meaning =
  | { readonly kind: 'off'; readonly value: boolean }
  | { readonly kind: 'denied' | 'only' | 'grant' }
  | { readonly kind: 'field' | 'seconds'; readonly field: string }
  | { readonly kind: 'lost'; readonly advice: string };

/** The same text for spellings of a word: `disabled_tools`, `disabledTools`, `DisabledTools`. */
export function foldWord(word: string): string {
  return word.replaceAll(/[_-]/g, '').toLowerCase();
}

/** Returns true if two words differ only in their spelling, by one character, or by two neighbors that changed places. */
export function isMisspelling(one: string, other: string): boolean {
  const [a, b] = [foldWord(one), foldWord(other)];
  if (a === b) return true;
  if (Math.min(a.length, b.length) < 7 || Math.abs(a.length - b.length) > 1) return false;
  const longest = Math.max(a.length, b.length);
  let start = 0;
  while (start < longest && a[start] === b[start]) start++;
  let end = 0;
  while (end < longest - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  if (start + end >= longest - 1) return true;
  const swapped = a[start] === b[start + 1] && a[start + 1] === b[start];
  return a.length === b.length && start + end === longest - 2 && swapped;
}

/** Our own words that restrict, in any spelling. */
const OWN: ProgramWords = { off: ['disabled', true], denied: 'deniedTools', only: 'enabledTools' };

const meanings = (words: ProgramWords): ReadonlyMap<string, Meaning> => {
  const { off, denied, only, names = {}, seconds = {}, grants = [], lost = {} } = words;
  return new Map<string, Meaning>([
    ...Object.entries(names).map(([word, field]): [string, Meaning] => [word, { kind: 'field', field }]),
    ...Object.entries(seconds).map(([word, field]): [string, Meaning] => [word, { kind: 'seconds', field }]),
    ...grants.map((word): [string, Meaning] => [word, { kind: 'grant' }]),
    ...Object.entries(lost).map(([word, advice]): [string, Meaning] => [word, { kind: 'lost', advice }]),
    ...(denied === undefined ? [] : [[denied, { kind: 'denied' }] as const]),
    ...(only === undefined ? [] : [[only, { kind: 'only' }] as const]),
    ...(off === undefined ? [] : [[off[0], { kind: 'off', value: off[1] }] as const]),
  ]);
};

/** Words of all programs, folded. Where programs disagree, the meaning that restricts wins: it is the last one. */
const ANYWHERE: ReadonlyMap<string, Meaning> = new Map(
  [OWN, ...Object.values<ProgramWords>(PROGRAMS)]
    .flatMap((words) => [...meanings(words)])
    .map(([word, meaning]): [string, Meaning] => [foldWord(word), meaning])
    .toSorted(([, a], [, b]) => Number(isRestriction(a)) - Number(isRestriction(b))),
);

/** Returns what a field means that is not ours, in any program. */
export function meaningOf(field: string): Meaning | undefined {
  return ANYWHERE.get(foldWord(field));
}

/** Returns what a field means in one program. */
export function meaningIn(words: ProgramWords, field: string): Meaning | undefined {
  return meanings(words).get(field);
}

/** Returns true if obeying a word switches something off. */
export function isRestriction({ kind }: Meaning): boolean {
  return kind === 'off' || kind === 'denied' || kind === 'only';
}

/** Words that restrict, for misspellings of them. */
export const RESTRICTING_WORDS: readonly string[] = [...ANYWHERE]
  .filter(([, meaning]) => isRestriction(meaning))
  .map(([word]) => word);

/** Returns true if a key only carries a remark: `$schema`, `_comment`, `//`, `#`. */
export function isRemark(key: string): boolean {
  return /^(?:[$_#]|\/\/|x-)/.test(key);
}

/**
 * Names of tools in the value of a word that denies or limits; undefined if it is not understood. In an object, members that are
 * switched off are denied: `{ wipe: false }`, `{ wipe: { enabled: false } }`. Gemini CLI may write arguments behind a name.
 */
export function toolNames(value: JsonValue): readonly string[] | undefined {
  if (isJsonList(value)) {
    const names = value.map((each) => (typeof each === 'string' ? each.replace(/\(.*$/s, '').trim() : ''));
    return names.includes('') ? undefined : names;
  }
  if (!isRecord(value)) return undefined;
  return Object.entries(value).flatMap(([name, member]) => (isSwitchedOff(member) ? [name] : []));
}

function isSwitchedOff(member: unknown): boolean {
  if (!isRecord(member)) return member === false || member === 'deny';
  return member['enabled'] === false || member['disabled'] === true;
}
