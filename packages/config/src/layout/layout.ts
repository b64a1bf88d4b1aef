import { posix, win32 } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { DEFAULT_SCOPE_ORDER, type ConfigScope } from './scopes.js';

/**
 * Describes which files a host reads its configuration from, as data. Check your own with {@link defineLayout}.
 *
 * Keys that lead to a value in a JSON file are listed outermost first: `['mcp', 'servers']`. The key `{project}` stands for the
 * path of the project: `['projects', '{project}', 'mcpServers']`.
 */
export interface Layout {
  /** Name of the layout, for error messages. */
  readonly name: string;
  /** The files. Within one scope the first file wins, and it is the one that {@link createConfigEditor} adds servers to. */
  readonly sources: readonly {
    /** Scope of its servers. `enterprise` and `managed` require the base `system`. */
    readonly scope: Extract<ConfigScope, 'enterprise' | 'user' | 'project' | 'local' | 'managed'>;
    /**
     * The directory that {@link path} is relative to: the home directory, the root of the project, or
     * {@link Layout.systemDirectory}. Servers of files in `project` are used only once the user has approved them.
     */
    readonly base: 'home' | 'project' | 'system';
    /** Path below {@link base}, with `/` on every platform and without `.` or `..`. */
    readonly path: string;
    /**
     * Keys that lead to the object with the servers. The first path that exists in the file is used. `[]` means the top level of the file,
     * whose members count as servers if they look like one.
     */
    readonly servers: readonly (readonly string[])[];
  }[];
  /** Every scope in order of precedence, lowest first. Default: the order in which {@link ConfigScope} lists them. */
  readonly order?: readonly ConfigScope[] | undefined;
  /** Directory of an administrator's files, per platform; `linux` is used on all other platforms. Default: none. */
  readonly systemDirectory?: Readonly<Record<'linux' | 'darwin' | 'win32', string>> | undefined;
  /** An administrator's files in {@link systemDirectory} that permit and forbid servers. Default: none. */
  readonly policies?:
    | readonly {
        /** Path below the system directory, with `/`. */
        readonly path: string;
        /** Keys that lead to the allow list. If it is absent, every server is allowed. */
        readonly allow: readonly string[];
        /** Keys that lead to the deny list. */
        readonly deny: readonly string[];
        /** Content of the lists: `rules` such as `{ "serverName": … }` ({@link ServerRule}), or plain `names`. */
        readonly form: 'rules' | 'names';
      }[]
    | undefined;
  /** If a file of scope `managed` exists, only its servers are permitted. Default: false. */
  readonly managedIsExclusive?: boolean | undefined;
  /**
   * Files in the home directory in which the user has already approved or rejected servers by name. Names in a list below
   * `{project}` are approved in that project; names in any other `enabled` list are only preselected
   * ({@link ApprovalRequest.preselected}). Default: none.
   */
  readonly approvalLists?:
    | readonly {
        /** Path below the home directory, with `/`. */
        readonly path: string;
        /** Keys that lead to the list of wanted servers. */
        readonly enabled: readonly string[];
        /** Keys that lead to the list of rejected servers. A name in both lists is rejected. */
        readonly disabled: readonly string[];
      }[]
    | undefined;
  /** Syntax of variables. Default: `${NAME}` only, and a missing one is an error. */
  readonly variables?:
    | {
        /** If true, `$NAME` is expanded too, not only `${NAME}`. Default: false. */
        readonly bare?: boolean | undefined;
        /** Default of {@link LoadConfigOptions.missingVariables}. Default: `'error'`. */
        readonly missing?: 'error' | 'empty' | 'keep' | undefined;
      }
    | undefined;
}

/** A configuration file that may define servers. */
export type FileSource = Layout['sources'][number];

/** An administrator's file that permits and forbids servers. */
export type PolicySource = NonNullable<Layout['policies']>[number];

/** Keys that lead to a value in a JSON file. */
export type KeyPath = readonly string[];

/** Stands for the path of the project in a {@link KeyPath}. */
export const PROJECT_PLACEHOLDER = '{project}';

/** Handling of a variable that has no default and is not set. */
export type MissingVariable = NonNullable<NonNullable<Layout['variables']>['missing']>;

/** Every {@link MissingVariable}, to check the value of a program. */
export const MISSING_VARIABLES: readonly unknown[] = ['error', 'empty', 'keep'] satisfies MissingVariable[];

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

/** The administrator's directory on a platform. */
export function systemDirectory(layout: Layout, platform: NodeJS.Platform): string | undefined {
  return layout.systemDirectory && pathOn(layout.systemDirectory, platform);
}

/** A path that differs by platform. */
export type ByPlatform = NonNullable<Layout['systemDirectory']>;

/** The path on a platform. Those other than Windows and macOS use that of Linux. */
export function pathOn(paths: ByPlatform, platform: NodeJS.Platform): string {
  return paths[platform === 'win32' || platform === 'darwin' ? platform : 'linux'];
}

/** The absolute path of a file of a layout; undefined if its base directory is not known. */
export function absolutePath(
  source: Pick<FileSource, 'base' | 'path'>,
  directories: Directories,
  platform: NodeJS.Platform,
): string | undefined {
  const directory = directories[source.base];
  return directory === undefined ? undefined : pathBelow(directory, source.path, platform);
}

/** Joins a directory and a path with `/`. */
export function pathBelow(directory: string, path: string, platform: NodeJS.Platform): string {
  return (platform === 'win32' ? win32 : posix).join(directory, ...path.split('/'));
}
