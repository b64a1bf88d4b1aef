import { posix, win32 } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { DEFAULT_SCOPE_ORDER, type ConfigScope } from './scopes.js';

/**
 * Keys that lead to a value in a JSON file, outermost first: `['mcp', 'servers']`. {@link PROJECT_PLACEHOLDER} stands for the
 * path of the project.
 */
export type KeyPath = readonly string[];

/** Stands for the path of the project in a {@link KeyPath}: `['projects', PROJECT_PLACEHOLDER, 'mcpServers']`. */
export const PROJECT_PLACEHOLDER = '{project}';

/**
 * The directory that a path of a layout is relative to: the home directory, the root of the project, or
 * {@link Layout.systemDirectory}. Servers of files in `project` are used only once the user has approved them.
 */
export type BaseDirectory = 'home' | 'project' | 'system';

/** A configuration file that may define servers. */
export interface FileSource {
  /** Scope of its servers. `enterprise` and `managed` require the base `system`. */
  readonly scope: Extract<ConfigScope, 'enterprise' | 'user' | 'project' | 'local' | 'managed'>;
  /** Directory that {@link path} is relative to. */
  readonly base: BaseDirectory;
  /** Path below {@link base}, with `/` on every platform and without `.` or `..`. */
  readonly path: string;
  /**
   * Where the object with the servers is. The first path that exists in the file is used. `[]` means the top level of the
   * file, whose members count as servers if they look like one.
   */
  readonly servers: readonly KeyPath[];
}

/** An administrator's file in {@link Layout.systemDirectory} that permits and forbids servers. */
export interface PolicySource {
  /** Path below the system directory, with `/`. */
  readonly path: string;
  /** Where the allow list is. If it is absent, every server is allowed. */
  readonly allow: KeyPath;
  /** Where the deny list is. */
  readonly deny: KeyPath;
  /** What the lists contain: `rules` such as `{ "serverName": … }` ({@link ServerRule}), or plain `names`. */
  readonly form: 'rules' | 'names';
}

/**
 * A file in the home directory in which another host lists servers of projects by name. Names in a list below
 * {@link PROJECT_PLACEHOLDER} are approved in that project; names in any other `enabled` list are only preselected
 * ({@link ApprovalRequest.preselected}).
 */
export interface ApprovalListSource {
  /** Path below the home directory, with `/`. */
  readonly path: string;
  /** Where the list of wanted servers is. */
  readonly enabled: KeyPath;
  /** Where the list of rejected servers is. A name in both lists is rejected. */
  readonly disabled: KeyPath;
}

/** How variables are written in the files of a layout. */
export interface VariableStyle {
  /** Whether `$NAME` is expanded too, not only `${NAME}`. Default: false. */
  readonly bare?: boolean | undefined;
  /** What happens if a variable is not set and {@link LoadConfigOptions.missingVariables} is absent. Default: `'error'`. */
  readonly missing?: MissingVariable | undefined;
}

/**
 * What happens if a variable without a default is not set. `'error'`: the server is not used, and there is a problem
 * (`VARIABLE_MISSING`). `'empty'`: it expands to nothing. `'keep'`: the text `${NAME}` is passed on, and the problem is a
 * warning.
 */
export type MissingVariable = 'error' | 'empty' | 'keep';

/** Every {@link MissingVariable}, to check the value of a program. */
export const MISSING_VARIABLES: readonly unknown[] = ['error', 'empty', 'keep'] satisfies MissingVariable[];

/** Describes which files a host reads its configuration from, as data. Check your own with {@link defineLayout}. */
export interface Layout {
  /** Name of the layout, for error messages. */
  readonly name: string;
  /** The files. Within one scope the first file wins, and it is the one that {@link createConfigEditor} adds servers to. */
  readonly sources: readonly FileSource[];
  /** Every scope in order of precedence, lowest first. Default: {@link DEFAULT_SCOPE_ORDER}. */
  readonly order?: readonly ConfigScope[] | undefined;
  /** Directory of an administrator's files, per platform; `linux` is used on all other platforms. Default: none. */
  readonly systemDirectory?: Readonly<Record<'linux' | 'darwin' | 'win32', string>> | undefined;
  /** Files with an administrator's policy. Default: none. */
  readonly policies?: readonly PolicySource[] | undefined;
  /** If a file of scope `managed` exists, only its servers are permitted. Default: false. */
  readonly managedIsExclusive?: boolean | undefined;
  /** Files in which the user has already approved or rejected servers by name. Default: none. */
  readonly approvalLists?: readonly ApprovalListSource[] | undefined;
  /** How variables are written. Default: `${NAME}` only, and a missing one is an error. */
  readonly variables?: VariableStyle | undefined;
}

/**
 * Checks a layout and returns it. Throws `CONFIG_INVALID` if a path is absolute or contains `..`, a scope has no rank, or
 * the scope and the base of a file do not fit together.
 *
 * @example
 * ```ts
 * const layout = defineLayout({
 *   name: 'my-agent',
 *   sources: [
 *     { scope: 'user', base: 'home', path: '.my-agent/mcp.json', servers: [['mcpServers']] },
 *     { scope: 'project', base: 'project', path: '.mcp.json', servers: [['mcpServers']] },
 *   ],
 * });
 * const { servers } = await loadConfig({ layout });
 * ```
 */
export function defineLayout(layout: Layout): Layout {
  const refuse = (why: string): never => {
    throw new FittingsError('CONFIG_INVALID', `The layout "${layout.name}" ${why}.`);
  };
  const { sources, order = DEFAULT_SCOPE_ORDER, policies = [], approvalLists = [] } = layout;
  for (const { path } of [...sources, ...policies, ...approvalLists]) {
    if (path === '' || path.split(/[/\\]/).some((part) => part === '' || part === '.' || part === '..')) {
      refuse(`has the path ${JSON.stringify(path)}, which must be relative and without "." or ".."`);
    }
  }
  const missing = DEFAULT_SCOPE_ORDER.filter((scope) => !order.includes(scope));
  if (missing.length > 0) refuse(`does not list ${missing.join(', ')} in "order"`);
  if (layout.variables?.missing !== undefined && !MISSING_VARIABLES.includes(layout.variables.missing))
    refuse('has an unknown value of "variables.missing"');
  const needsSystem = policies.length > 0 || sources.some((source) => source.base === 'system');
  if (needsSystem && layout.systemDirectory === undefined)
    refuse('has files with the base "system" and no "systemDirectory"');
  for (const { scope, base } of sources) {
    if ((scope === 'enterprise' || scope === 'managed') !== (base === 'system')) {
      refuse(`has a file with the scope "${scope}" and the base "${base}", which do not fit together`);
    }
  }
  return layout;
}

/** The directories that paths of a layout are relative to. */
export interface Directories {
  readonly home: string;
  readonly project: string;
  /** Undefined if the layout has no administrator's files. */
  readonly system: string | undefined;
}

/** The administrator's directory on a platform. Platforms other than Windows and macOS use that of Linux. */
export function defaultSystemDirectory(layout: Layout, platform: NodeJS.Platform): string | undefined {
  const known = platform === 'win32' || platform === 'darwin' ? platform : 'linux';
  return layout.systemDirectory?.[known];
}

/** The absolute path of a file of a layout; undefined if its base directory is not known. */
export function absolutePath(
  source: { readonly base: BaseDirectory; readonly path: string },
  directories: Directories,
  platform: NodeJS.Platform,
): string | undefined {
  const directory = directories[source.base];
  if (directory === undefined) return undefined;
  return (platform === 'win32' ? win32 : posix).join(directory, ...source.path.split('/'));
}
