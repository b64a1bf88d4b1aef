import {
  type ServerApprovals,
  type ConfigEditor,
  type LoadedConfig,
  type ConfigScope,
  createConfigEditor,
} from '@mcp-fittings/config';
import { layoutOf } from '@mcp-fittings/preset/toolkit';
import type { CommandDeps } from '../command-deps.js';
import { noteUnreadFiles } from '../output/config-problems.js';
import { CommandError } from '../output/hints.js';
import { loadForCommand } from './open-session.js';
import { unknownServer } from './resolve-server.js';
import { configSecrets } from './secrets.js';

/** The configuration, for commands that read or write it and connect to no server. */
export interface Workspace {
  readonly loaded: LoadedConfig;
  readonly approvals: ServerApprovals;
  /** Writes without a confirmation: the user typed the command. */
  readonly editor: ConfigEditor;
  /** The home directory of this run. */
  readonly home: string;
}

export async function openWorkspace(
  deps: CommandDeps,
  {
    approves = true,
    asks = false,
  }: {
    /** If false, servers that are written to the project are not approved at once. Default: true, because the user typed them. */
    readonly approves?: boolean;
    /** If true, the command asks about unapproved servers, and says where the user has signed in. Default: false. */
    readonly asks?: boolean;
  } = {},
): Promise<Workspace> {
  const { loaded, approvals, inputValues, loadTransports, home, options } = await loadForCommand(deps, {
    looksUpSignIns: asks,
  });
  const plugins = await loadTransports();
  deps.output.hide([...configSecrets(loaded), ...inputValues]);
  noteUnreadFiles(loaded.problems, deps.output);
  const editor = createConfigEditor({
    layout: options.layout,
    cwd: options.cwd,
    home: options.home,
    ...(approves && { approvals }),
    plugins,
    confirm: () => true,
  });
  return { loaded, approvals, editor, home };
}

/** Returns the scopes that the chosen layout can write, the user's own first. */
export function writableScopes(deps: CommandDeps): readonly ConfigScope[] {
  const { sources } = layoutOf(deps.options.layout);
  const scopes = new Set(sources.filter(({ base }) => base !== 'system').map(({ scope }) => scope));
  return (['user', 'local', 'project'] as const).filter((scope) => scopes.has(scope));
}

/** Returns whether a scope is written to the project, where others can read it. */
export function isSharedScope(deps: CommandDeps, scope: ConfigScope): boolean {
  const { sources } = layoutOf(deps.options.layout);
  return sources.find((source) => source.scope === scope)?.base === 'project';
}

/** Returns the requested scope, or the layout's first. Throws `CONFIG_INVALID` if the layout does not have it. */
export function scopeFor(deps: CommandDeps, asked: string | undefined): ConfigScope {
  const scopes = writableScopes(deps);
  const scope = asked === undefined ? scopes[0] : scopes.find((each) => each === asked);
  if (scope !== undefined) return scope;
  const { layout } = deps.options;
  throw new CommandError(
    'CONFIG_INVALID',
    `The layout ${layout} has no scope "${asked ?? ''}" to write to.`,
    {
      hint: `Available scopes: ${scopes.join(', ')}.`,
    },
  );
}

/** Returns the scope of a server to change. Throws if there is no such server, or if several scopes have it. */
export function scopeOf(
  deps: CommandDeps,
  { loaded }: Workspace,
  name: string,
  asked: string | undefined,
): ConfigScope {
  if (asked !== undefined) return scopeFor(deps, asked);
  const writable = writableScopes(deps);
  const found = [...new Set(loaded.entries.filter((entry) => entry.name === name).map(({ scope }) => scope))];
  const changeable = found.filter((scope) => writable.includes(scope));
  const [scope, ...others] = changeable;
  if (scope === undefined) {
    throw found.length === 0
      ? unknownServer(name, loaded)
      : new CommandError(
          'CONFIG_READ_ONLY',
          `The server "${name}" (${found.join(', ')}) cannot be changed here.`,
        );
  }
  if (others.length > 0) {
    throw new CommandError('CONFIG_INVALID', `The server "${name}" is defined in several scopes.`, {
      server: name,
      hint: `Choose one: --scope ${changeable.join('|')}`,
    });
  }
  return scope;
}
