import { dirname, resolve } from 'node:path';
import { FittingsError, type ServerConfig, type TransportPlugin } from '@mcp-fittings/client-core';
import { createFileApprovalStore } from '../approval/approval-store.js';
import { createServerApprovals, type ServerApprovals } from '../approval/approvals.js';
import type { EnvironmentVariables } from '../variables/expand.js';
import { entryPermissions, type LoadedServer } from '../entry/permissions.js';
import { createFileReader, DEFAULT_MAX_FILE_BYTES, isInside, resolveLinks } from '../files/read-file.js';
import type { MissingVariable } from '../layout/layout.js';
import { resolvePrecedence, confusableNames } from './precedence.js';
import type { Definition, Origin } from '../entry/definition.js';
import { locateFiles, type FileLocations, type LocationOptions } from '../layout/locate-files.js';
import { evaluateDefinition, type ProjectVariables } from './evaluate-definition.js';
import { readApprovalLists } from '../approval/settings-lists.js';
import { readCommandLineConfig, readSource, readHostServers, type SourceFile } from './read-source.js';
import type { ReadDefinitions } from './read-definitions.js';
import type { ServerEntry } from './server-entry.js';
import type { ServerPolicy } from '../policy/policy.js';
import { readPolicies } from '../policy/read-policies.js';
import { problem, type ConfigProblem } from '../problems.js';
import type { Project } from '../layout/find-project.js';
import { DEFAULT_SCOPE_ORDER } from '../layout/scopes.js';

export interface LoadConfigOptions extends LocationOptions {
  /** What `--mcp-config` said, each JSON or the path of a file; later ones win. `strict`: nothing else counts. */
  readonly cli?: { readonly configs: readonly string[]; readonly strict?: boolean | undefined } | undefined;
  /** Servers that the host adds at run time. */
  readonly dynamic?: Readonly<Record<string, ServerConfig>> | undefined;
  /** Servers that a service listed. They may not use variables. */
  readonly remote?: Readonly<Record<string, ServerConfig>> | undefined;
  /** Where `${NAME}` is looked up, and nothing else. Default `process.env`. */
  readonly env?: EnvironmentVariables | undefined;
  /** Default: what the layout says, else `'error'`. */
  readonly missingVariables?: MissingVariable | undefined;
  /** Default `'ask'`: any, except in `command`, and the person sees the names. */
  readonly projectVariables?: ProjectVariables | undefined;
  /** The host's policy, besides those in the layout's files. Every policy has to permit a server. */
  readonly policy?: ServerPolicy | undefined;
  /** Installed transports; entries are checked against their schemas. */
  readonly plugins?: readonly TransportPlugin[] | undefined;
  /** Default: what was remembered in {@link createFileApprovalStore}, and nobody is asked. */
  readonly approvals?: ServerApprovals | undefined;
  /**
   * Tells whether the person has signed in at the URL of a server, so that the approval question can say so. It is given
   * URLs of unapproved entries: look them up, contact nothing. Default: never.
   */
  readonly hasSignIn?: ((url: string) => boolean | Promise<boolean>) | undefined;
  /** The person trusts this folder: grants such as `trust` in its files count. Servers are approved all the same. */
  readonly folderTrusted?: boolean | undefined;
  /** A larger file is refused, bytes. Default 10 MiB. */
  readonly maxFileBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What was found, decided and left out. */
export interface LoadedConfig {
  /** What a host may connect, by name; has no prototype. Disabled servers are in it, with `disabled: true`. */
  readonly servers: Readonly<Record<string, LoadedServer>>;
  /**
   * By name, for each of `servers`: a hash of scope, project, name and definition. Keep credentials and approvals of
   * tools under it, so that another project's server of the same name or address is given nothing. Has no prototype.
   */
  readonly identities: Readonly<Record<string, string>>;
  /** Every definition that was found, also those that are not in `servers`, with the reason. */
  readonly entries: readonly ServerEntry[];
  readonly problems: readonly ConfigProblem[];
  /** Every file that was looked for. */
  readonly files: readonly SourceFile[];
  readonly project: Project;
}

/**
 * Finds, checks and merges the configuration of MCP servers. Nothing is thrown for a bad file or entry: it is in
 * `problems`, and everything else still counts. Rejects with `ABORTED`, and with `CONFIG_INVALID` when `cwd` does not
 * exist.
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const { layout, cli, platform = process.platform } = options;
  const located = await locateFiles(options);
  const { project, directories, refusedHome } = located;
  const read = createFileReader(options.maxFileBytes ?? DEFAULT_MAX_FILE_BYTES);
  const policySet = await readPolicies(read, layout, directories, platform, options.policy);

  const files: SourceFile[] = [];
  const problems: ConfigProblem[] = [...policySet.problems];
  if (refusedHome !== undefined) {
    const message = `HOME (${refusedHome}) lies in the project, which could have set it. The home directory of the account is used: ${directories.home}.`;
    const hint = 'Unset HOME, or point it to a folder outside of the project.';
    problems.push(problem('HOME_REFUSED', message, { hint }));
  }
  const definitions: Definition[] = [];
  // A file may serve several scopes: it is told about when it has servers for none of them.
  const withoutServers = new Map<string, string | undefined>();
  const withServers = new Set<string>();
  const add = (found: ReadDefinitions & { readonly file?: SourceFile }): void => {
    definitions.push(...found.definitions);
    problems.push(...found.problems);
    const { file, missingMap } = found;
    if (file === undefined) return;
    files.push(file);
    if (missingMap === undefined) withServers.add(file.path);
    else withoutServers.set(file.path, withoutServers.get(file.path) ?? missingMap.hint);
  };

  for (const { path, source } of located.sources) {
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
  const managed =
    layout.managedIsExclusive === true &&
    files.some(({ scope, status }) => scope === 'managed' && status !== 'absent');
  // Later arguments win, and within a scope the first definition does.
  for (const [index, argument] of [...(cli?.configs ?? []).entries()].toReversed()) {
    add(await readCommandLineConfig(read, argument, index, resolve(options.cwd ?? process.cwd())));
  }
  for (const [file, hint] of withoutServers) {
    if (withServers.has(file)) continue;
    const location = { file };
    problems.push(
      problem('SERVERS_MISSING', 'The file names no servers where they are looked for.', { location, hint }),
    );
  }
  if (cli?.strict !== true) {
    add(readHostServers('remote', options.remote ?? {}));
    add(readHostServers('dynamic', options.dynamic ?? {}));
  }

  const approvals = await guardApprovals(options, located);
  const listed = await readApprovalLists(read, layout, directories, platform, project.spellings);
  const context = {
    project,
    folders: { home: directories.home, project: project.root },
    platform,
    policies:
      policySet.policies === undefined || !managed
        ? policySet.policies
        : [...policySet.policies, { exclusive: true }],
    approvals,
    listed,
    folderTrusted: options.folderTrusted ?? false,
    env: options.env ?? process.env,
    missing: options.missingVariables ?? layout.variables?.missing ?? 'error',
    bare: layout.variables?.bare ?? false,
    hasSignIn: options.hasSignIn,
    projectVariables: options.projectVariables ?? 'ask',
    plugins: options.plugins ?? [],
  };
  const entries = await resolvePrecedence(
    definitions,
    layout.order ?? DEFAULT_SCOPE_ORDER,
    project.id,
    (definition) => {
      checkAborted(options.signal);
      return evaluateDefinition(definition, context);
    },
  );
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

/** A file that serves two scopes is read for both. */
function withoutDuplicates(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return [...new Map(problems.map((found) => [JSON.stringify(found), found])).values()];
}

/** Decisions that lie in the project could have come with it. */
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
        'The file of approvals lies in the project, which could bring its own.',
      ),
    );
  return { decide: refuse, isChanged: refuse, remember: refuse, forget: refuse };
}

function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) {
    throw new FittingsError('ABORTED', 'Reading the configuration was given up.', { cause: signal.reason });
  }
}
