import { posix, win32 } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { DEFAULT_SCOPE_ORDER, type ConfigScope } from './scopes.js';

/** Keys that lead to a value in a file; `{project}` stands for the path of the project. */
export type KeyPath = readonly string[];

/** Stands in a {@link KeyPath} for the path of the project. */
export const PROJECT_PLACEHOLDER = '{project}';

/** Where a path begins. What lies in the project came with the project and is nobody's decision until approved. */
export type BaseDirectory = 'home' | 'project' | 'system';

/** One file that may name servers. */
export interface FileSource {
  readonly scope: Extract<ConfigScope, 'enterprise' | 'user' | 'project' | 'local' | 'managed'>;
  readonly base: BaseDirectory;
  /** Relative to `base`, with `/`. */
  readonly path: string;
  /** Where the map of servers is: the first that is there counts. `[]`: the file itself is the map. */
  readonly servers: readonly KeyPath[];
}

/** A file of an administrator that permits and forbids servers, in {@link Layout.systemDirectory}. */
export interface PolicySource {
  readonly path: string;
  readonly allow: KeyPath;
  readonly deny: KeyPath;
  /** What the lists hold: rules such as `{ "serverName": … }`, or plain names of servers. */
  readonly form: 'rules' | 'names';
}

/**
 * A file of the user, in the home directory, that lists project servers by name. Names in a list below
 * {@link PROJECT_PLACEHOLDER} are approved in that project; names in any other `enabled` list only pre-select.
 */
export interface ApprovalListSource {
  readonly path: string;
  readonly enabled: KeyPath;
  readonly disabled: KeyPath;
}

export interface VariableStyle {
  /** Expand `$NAME` too, not only `${NAME}`. Default false. */
  readonly bare?: boolean | undefined;
  /** What a missing variable does where the caller does not say. Default `'error'`. */
  readonly missing?: MissingVariable | undefined;
}

/** `'error'`: the server is not used. `'empty'`: nothing stands in its place. The text of a variable is never sent. */
export type MissingVariable = 'error' | 'empty';

/** Where a host keeps its configuration, as data. */
export interface Layout {
  /** For messages. */
  readonly name: string;
  /** Of two files of one scope the first wins, and it is the one that is written. */
  readonly sources: readonly FileSource[];
  /** Every scope, lowest rank first. Default {@link DEFAULT_SCOPE_ORDER}. */
  readonly order?: readonly ConfigScope[] | undefined;
  /** The directory of an administrator's files. */
  readonly systemDirectory?: Readonly<Record<'linux' | 'darwin' | 'win32', string>> | undefined;
  readonly policies?: readonly PolicySource[] | undefined;
  /** When a file of scope `managed` is there, only its servers count. Default false. */
  readonly managedIsExclusive?: boolean | undefined;
  readonly approvalLists?: readonly ApprovalListSource[] | undefined;
  readonly variables?: VariableStyle | undefined;
}

/** Checks a layout of one's own. Throws `CONFIG_INVALID` for one that can't work. */
export function defineLayout(layout: Layout): Layout {
  const refuse = (why: string): never => {
    throw new FittingsError('CONFIG_INVALID', `The layout "${layout.name}" ${why}.`);
  };
  const { sources, order = DEFAULT_SCOPE_ORDER, policies = [], approvalLists = [] } = layout;
  for (const { path } of [...sources, ...policies, ...approvalLists]) {
    if (path === '' || path.split(/[/\\]/).some((part) => part === '' || part === '.' || part === '..')) {
      refuse(`has a path that is not plain and relative: ${JSON.stringify(path)}`);
    }
  }
  const missing = DEFAULT_SCOPE_ORDER.filter((scope) => !order.includes(scope));
  if (missing.length > 0) refuse(`gives no rank to ${missing.join(', ')}`);
  const needsSystem = policies.length > 0 || sources.some((source) => source.base === 'system');
  if (needsSystem && layout.systemDirectory === undefined)
    refuse('names files of the system and no directory for them');
  for (const { scope, base } of sources) {
    if ((scope === 'enterprise' || scope === 'managed') !== (base === 'system')) {
      refuse(`puts the scope ${scope} into ${base}`);
    }
  }
  return layout;
}

/** The directories that paths of a layout begin in. */
export interface Directories {
  readonly home: string;
  readonly project: string;
  /** Undefined for a layout without files of an administrator. */
  readonly system: string | undefined;
}

/** The administrator's directory of a layout on a platform; those that are neither Windows nor macOS are like Linux. */
export function defaultSystemDirectory(layout: Layout, platform: NodeJS.Platform): string | undefined {
  const known = platform === 'win32' || platform === 'darwin' ? platform : 'linux';
  return layout.systemDirectory?.[known];
}

/** The absolute path of a file of a layout; undefined when its base is not known. */
export function absolutePath(
  source: { readonly base: BaseDirectory; readonly path: string },
  directories: Directories,
  platform: NodeJS.Platform,
): string | undefined {
  const directory = directories[source.base];
  if (directory === undefined) return undefined;
  return (platform === 'win32' ? win32 : posix).join(directory, ...source.path.split('/'));
}
