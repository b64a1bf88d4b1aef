import { dirname, resolve } from 'node:path';
import { FittingsError, type ServerConfig, type TransportPlugin } from '@mcp-fittings/client-core';
import { checkOptions, kindOf, type OptionNames } from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { createFileApprovalStore } from '../approval/approval-store.js';
import { createServerApprovals, type ProjectApprovals, type ServerApprovals } from '../approval/approvals.js';
import { readApprovalLists } from '../approval/settings-lists.js';
import type { Definition, Origin } from '../entry/definition.js';
import { normalizeEntry } from '../entry/normalize.js';
import { entryPermissions, type LoadedServer } from '../entry/permissions.js';
import {
  createFileReader,
  type FileReader,
  DEFAULT_MAX_FILE_BYTES,
  isInside,
  resolveLinks,
} from '../files/read-file.js';
import { layouts } from '../layout/built-in-layouts.js';
import { MISSING_VARIABLES } from '../layout/layout.js';
import { locateFiles, type FileLocations, type LocationOptions } from '../layout/locate-files.js';
import { DEFAULT_SCOPE_ORDER } from '../layout/scopes.js';
import type { ServerPolicy } from '../policy/policy.js';
import { readPolicies } from '../policy/read-policies.js';
import { problem, type ConfigProblem } from '../problems.js';
import type { InputQuestion } from '../variables/inputs.js';
import { evaluateDefinition, type EvaluateDeps } from './evaluate-definition.js';
import { resolvePrecedence, confusableNames } from './precedence.js';
import type { ReadDefinitions, SourceWord } from './read-definitions.js';
import type { LoadedConfig } from './loaded-config.js';
import { readCommandLineConfig, readSource, readHostServers, type SourceFile } from './read-source.js';

/** Options of {@link loadConfig}. */
export interface LoadConfigOptions extends LocationOptions {
  /**
   * Arguments of `--mcp-config`: each is JSON or the path of a file; of two servers with one name the later one wins.
   * `strict: true` ignores every other source except an exclusive managed file (default false). Default: none.
   */
  readonly cli?: { readonly configs: readonly string[]; readonly strict?: boolean | undefined } | undefined;
  /** Servers that the host adds at run time, by name. Scope `dynamic`. Default: none. */
  readonly dynamic?: Readonly<Record<string, ServerConfig>> | undefined;
  /**
   * Servers that a remote service listed, by name. Scope `remote`. They may not use variables, so that the service cannot
   * make this machine send it their values. Default: none.
   */
  readonly remote?: Readonly<Record<string, ServerConfig>> | undefined;
  /** Values for `${NAME}`. Default: `process.env`. No other option reads the environment. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Resolves with the value of an input, `${input:ID}`: asks the user for it, or looks up an earlier answer. It is called for each
   * input of each server that may be used, one after the other. A server whose input has no value is not used, and there is a problem
   * (`VARIABLE_MISSING`), also if the function rejects; with `ABORTED`, loading rejects too. Default: no input has a value.
   */
  readonly askInput?: ((question: InputQuestion) => Promise<string | undefined>) | undefined;
  /**
   * Handles a variable that has no default and is not set. `'error'`: the server is not used, and there is a problem (`VARIABLE_MISSING`).
   * `'empty'`: it expands to nothing. `'keep'`: the text `${NAME}` is passed on, and the problem is a warning. Default: `variables.missing`
   * of the layout.
   */
  readonly missingVariables?: 'error' | 'empty' | 'keep' | undefined;
  /**
   * Limits the environment variables that files of the project may use. `'ask'`: any, and the approval question lists them. `'deny'`: none.
   * A list: only these names. In `command` they may never use one. `inheritEnv` counts as a use. Default: `'ask'`.
   */
  readonly projectVariables?: 'ask' | 'deny' | readonly string[] | undefined;
  /** The host's own policy. It and every policy in the layout's files must permit a server. Default: none. */
  readonly policy?: ServerPolicy | undefined;
  /**
   * Installed transports, whose schemas validate the entries. A function gets the types that entries have, to import no others, and
   * the project. Default: none, so only common fields are checked.
   */
  readonly plugins?:
    | readonly TransportPlugin[]
    | ((types: ReadonlySet<string>, project: LoadedConfig['project']) => Promise<readonly TransportPlugin[]>)
    | undefined;
  /** Decides about servers of the project. Default: decisions stored in {@link createFileApprovalStore}, no questions. */
  readonly approvals?: ServerApprovals | undefined;
  /**
   * Returns whether the user has signed in at the URL of a server, so that the approval question can say so. It receives
   * URLs of unapproved entries: look the URL up in a store and do not connect to it. Default: never.
   */
  readonly hasSignIn?: ((url: string) => boolean | Promise<boolean>) | undefined;
  /**
   * If true, grants such as `trust` or `allowedTools` in files of the project take effect. Set it after the user has said that they trust
   * the folder. Its servers need approval nevertheless. Default: false.
   */
  readonly folderIsTrusted?: boolean | undefined;
  /** Largest file that is read, in bytes; a larger one is a problem (`FILE_TOO_LARGE`). Default: 10 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** Aborts loading; `loadConfig` rejects with `ABORTED`. An open approval question is not aborted. */
  readonly signal?: AbortSignal | undefined;
}

const OPTIONS: OptionNames<LoadConfigOptions> = {
  layout: true,
  cwd: true,
  home: true,
  searchParents: true,
  platform: true,
  cli: true,
  dynamic: true,
  remote: true,
  env: true,
  askInput: true,
  missingVariables: true,
  projectVariables: true,
  policy: true,
  plugins: true,
  approvals: true,
  hasSignIn: true,
  folderIsTrusted: true,
  maxFileBytes: true,
  signal: true,
};

/**
 * Finds, validates and merges the configuration of MCP servers. An invalid file or entry does not reject: it becomes one of
 * the `problems`, and all other servers are loaded. Rejects with `ABORTED` if `signal` is aborted, and with
 * `CONFIG_INVALID` if `cwd` does not exist, or an option is unknown or invalid.
 *
 * @example
 * ```ts
 * const { servers, problems } = await loadConfig({ layout: layouts.claude, plugins: [stdio(), http()] });
 * for (const { severity, message, hint } of problems) console.error(severity, message, hint ?? '');
 * await host.connect(servers);
 * ```
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  return loadConfigAgain(options, new Map());
}

/** The definitions of each file when it could be read last. */
export type LastRead = Map<string, ReadDefinitions>;

/** Loads as {@link loadConfig} does. A file that cannot be read has what `last` says about it. */
export async function loadConfigAgain(options: LoadConfigOptions, last: LastRead): Promise<LoadedConfig> {
  checkOptions('loadConfig()', options, OPTIONS);
  checkLayout(options.layout);
  const { layout, platform = process.platform, missingVariables: missing } = options;
  if (missing !== undefined && !MISSING_VARIABLES.includes(missing)) {
    throw new FittingsError('CONFIG_INVALID', '"missingVariables" must be "error", "empty" or "keep".');
  }
  const located = await locateFiles(options);
  const { project, directories, refusedHome } = located;
  const read = createFileReader(options.maxFileBytes ?? DEFAULT_MAX_FILE_BYTES);
  const policySet = await readPolicies(read, layout, directories, platform, options.policy);

  const problems: ConfigProblem[] = [...policySet.problems];
  if (refusedHome !== undefined) {
    const message = `HOME (${refusedHome}) is inside the project, which could have set it. The account's home directory is used instead: ${directories.home}.`;
    const hint = 'Unset HOME, or set it to a folder outside of the project.';
    problems.push(problem('HOME_REFUSED', message, { hint }));
  }
  const {
    definitions,
    files,
    words,
    managedOnly,
    problems: found,
  } = await readSources(read, options, located, last);
  problems.push(...found);

  const approvals = await guardApprovals(options, located);
  let opened: ProjectApprovals | undefined;
  const { askInput } = options;
  const listed = await readApprovalLists(read, layout, directories, platform, project.spellings);
  const deps: EvaluateDeps = {
    project,
    folders: { home: directories.home, project: project.root },
    platform,
    policies:
      policySet.policies === undefined || !managedOnly
        ? policySet.policies
        : [...policySet.policies, { exclusive: true }],
    approvals: () => (opened ??= approvals.open(project.id)),
    listed,
    folderIsTrusted: options.folderIsTrusted ?? false,
    words,
    env: options.env ?? process.env,
    askInput:
      askInput &&
      (async (...asked) => {
        // As after a question about an approval: a decision may have changed meanwhile.
        opened = undefined;
        return askInput(...asked);
      }),
    missing: missing ?? layout.variables?.missing ?? 'error',
    bare: layout.variables?.bare ?? false,
    hasSignIn: options.hasSignIn,
    projectVariables: options.projectVariables ?? 'ask',
    plugins: await installedPlugins(options, definitions, project),
  };
  const entries = await resolvePrecedence(definitions, layout.order ?? DEFAULT_SCOPE_ORDER, (definition) => {
    checkAborted(options.signal);
    return evaluateDefinition(definition, deps);
  });
  const servers: Record<string, LoadedServer> = {};
  Object.setPrototypeOf(servers, null);
  const identities: Record<string, string> = {};
  Object.setPrototypeOf(identities, null);
  for (const { name, config, identity } of entries) {
    if (config !== undefined) servers[name] = { ...config, ...entryPermissions(config) };
    if (config !== undefined && identity !== undefined) identities[name] = identity;
  }
  problems.push(...entries.flatMap((entry) => entry.problems), ...confusableNames(entries));
  return { servers, identities, entries, problems: withoutDuplicates(problems), files, project };
}

async function installedPlugins(
  { plugins = [] }: LoadConfigOptions,
  definitions: readonly Definition[],
  project: LoadedConfig['project'],
): Promise<readonly TransportPlugin[]> {
  if (typeof plugins !== 'function') return plugins;
  const types = definitions.flatMap(({ value }) => {
    const normal = value === undefined ? undefined : normalizeEntry(value);
    return normal !== undefined && 'config' in normal ? (normal.config.type ?? []) : [];
  });
  return plugins(new Set(types), project);
}

interface ReadSources {
  readonly words: readonly SourceWord[];
  readonly definitions: readonly Definition[];
  readonly files: readonly SourceFile[];
  readonly problems: readonly ConfigProblem[];
  /** True if an exclusive managed file exists, so that only its servers are permitted. */
  readonly managedOnly: boolean;
}

/** Reads the files of the layout, the command line, and the servers of the host. */
async function readSources(
  read: FileReader,
  options: LoadConfigOptions,
  { project, sources }: FileLocations,
  last: LastRead,
): Promise<ReadSources> {
  const { layout, cli } = options;
  const files: SourceFile[] = [];
  const problems: ConfigProblem[] = [];
  const definitions: Definition[] = [];
  const words: SourceWord[] = [];
  // A file can be a source of several scopes: it is reported only if it has servers for none of them.
  const withoutServers = new Map<string, string | undefined>();
  const withServers = new Set<string>();
  const add = (found: ReadDefinitions & { readonly file?: SourceFile }): void => {
    const { file, missingMap } = found;
    const key = JSON.stringify([file?.scope, file?.path]);
    const failed = found.problems.some(({ severity }) => severity === 'error');
    const used = (failed ? last.get(key) : undefined) ?? found;
    if (file !== undefined) last.set(key, used);
    words.push(...(used.words ?? []));
    definitions.push(...used.definitions);
    problems.push(...found.problems);
    if (file === undefined) return;
    files.push(file);
    if (missingMap === undefined) withServers.add(file.path);
    else withoutServers.set(file.path, withoutServers.get(file.path) ?? missingMap.hint);
  };

  for (const { path, source } of sources) {
    if (cli?.strict === true && !(source.scope === 'managed' && layout.managedIsExclusive === true)) continue;
    checkAborted(options.signal);
    const trusted = source.base !== 'project';
    const origin: Origin = {
      scope: source.scope,
      file: path,
      folder: dirname(path),
      trusted,
      mayUseVariables: true,
    };
    const rules = trusted
      ? { refuseBrokenLink: source.base === 'system' }
      : { within: project.root, owners: project.owners };
    add(await readSource(read, path, origin, rules, source.servers, project.spellings));
  }
  const managedOnly =
    layout.managedIsExclusive === true &&
    files.some(({ scope, status }) => scope === 'managed' && status !== 'absent');
  // Later arguments win, and within a scope the first definition does.
  for (const [index, argument] of [...(cli?.configs ?? []).entries()].toReversed()) {
    add(await readCommandLineConfig(read, argument, index, resolve(options.cwd ?? process.cwd())));
  }
  for (const [file, hint] of withoutServers) {
    if (withServers.has(file)) continue;
    problems.push(
      problem('SERVERS_MISSING', 'The file has no servers under the expected key.', {
        location: { file },
        hint,
        // A file of settings may have no servers. One that has them elsewhere is a mistake.
        ...(hint !== undefined && { severity: 'warning' }),
      }),
    );
  }
  if (cli?.strict !== true) {
    add(readHostServers('remote', options.remote ?? {}));
    add(readHostServers('dynamic', options.dynamic ?? {}));
  }
  return { definitions, files, words, problems, managedOnly };
}

/** A file that is a source of two scopes is read for both and would report its problems twice. */
function withoutDuplicates(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return [...new Map(problems.map((found) => [JSON.stringify(found), found])).values()];
}

/** A project could bring its own approvals file: approvals that are stored inside the project are not used. */
async function guardApprovals(
  options: LoadConfigOptions,
  { project, directories }: FileLocations,
): Promise<ServerApprovals> {
  const approvals =
    options.approvals ??
    createServerApprovals({
      store: createFileApprovalStore({ home: directories.home, platform: options.platform }),
    });
  if (approvals.file === undefined) return approvals;
  const store = await resolveLinks(approvals.file);
  if (!isInside(store, project.root) || isInside(directories.home, project.root)) return approvals;
  const refuse = (): Promise<never> =>
    Promise.reject(
      new FittingsError(
        'CONFIG_INVALID',
        'The approvals file is inside the project, so it could have come with the project.',
        { hint: 'Store approvals outside of the project.' },
      ),
    );
  return { open: () => ({ isChanged: refuse, decide: refuse }), remember: refuse, forget: refuse };
}

function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) {
    throw new FittingsError('ABORTED', 'Loading the configuration was aborted.', { cause: signal.reason });
  }
}

/** A program without types may pass the name of a layout, or nothing. */
function checkLayout(layout: unknown): void {
  if (isRecord(layout)) return;
  const name = typeof layout === 'string' && Object.hasOwn(layouts, layout) ? layout : undefined;
  throw new FittingsError(
    'CONFIG_INVALID',
    `The option "layout" of loadConfig() must be a layout, not ${kindOf(layout)}.`,
    {
      hint:
        name === undefined
          ? `Pass one of layouts.${Object.keys(layouts).join(', layouts.')}, or the result of defineLayout().`
          : `Pass layouts.${name}.`,
    },
  );
}
