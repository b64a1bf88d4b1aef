import type { TransportPlugin } from '@mcp-fittings/client-core';
import { FittingsError } from '@mcp-fittings/client-core';
import {
  createConfigEditor,
  type ServerApprovals,
  type ConfigEditor,
  type LoadedConfig,
  type ConfigScope,
} from '@mcp-fittings/config';
import type { CommandContext } from '../command-context.js';
import { LAYOUTS } from '../composition/layouts.js';
import { loadAgain, loadServers, placeOptions } from '../composition/load-servers.js';
import { secretsIn } from '../composition/secrets.js';
import { sessionOptions } from './open-session.js';

/** The configuration of a command that reads or writes it and connects nothing. */
export interface Workspace {
  readonly loaded: LoadedConfig;
  readonly approvals: ServerApprovals;
  /** It writes what the person typed: the command line is the confirmation. */
  readonly editor: ConfigEditor;
  readonly transports: readonly TransportPlugin[];
  /** The home directory of this run. */
  readonly home: string;
}

export async function openWorkspace(
  context: CommandContext,
  {
    approves = true,
    asks = false,
  }: {
    /** Whether what is written into the project is approved with it. Default true: the person typed it. */
    readonly approves?: boolean;
    /** The command asks about unapproved servers: the questions say where the user has signed in. Default false. */
    readonly asks?: boolean;
  } = {},
): Promise<Workspace> {
  const options = sessionOptions(context);
  const parts = await loadServers(options);
  const { approvals, transports, home } = parts;
  let { loaded } = parts;
  if (asks && loaded.entries.some(({ approval }) => approval !== undefined && 'url' in approval.definition)) {
    const { openSignInLookup } = await import('../composition/sign-in-lookup.js');
    await using lookup = openSignInLookup({ store: options.store, home, clock: context.clock }, loaded);
    loaded = await loadAgain(options, parts, (url) => lookup.hasSignIn(url));
  }
  context.output.hide(secretsIn(loaded));
  const editor = createConfigEditor({
    ...placeOptions(options),
    ...(approves && { approvals }),
    plugins: transports,
    confirm: () => true,
  });
  return { loaded, approvals, editor, transports, home };
}

/** Scopes that the chosen layout has a file to write for, the person's own first. */
export function writableScopes(context: CommandContext): readonly ConfigScope[] {
  const { sources } = LAYOUTS[context.options.layout];
  const scopes = new Set(sources.filter(({ base }) => base !== 'system').map(({ scope }) => scope));
  return (['user', 'local', 'project'] as const).filter((scope) => scopes.has(scope));
}

/** Whether a scope is written into the project, where others get to see it. */
export function isSharedScope(context: CommandContext, scope: ConfigScope): boolean {
  const { sources } = LAYOUTS[context.options.layout];
  return sources.find((source) => source.scope === scope)?.base === 'project';
}

/** The scope that was asked for, or the layout's first. Throws `CONFIG_INVALID` for one that there is not. */
export function scopeFor(context: CommandContext, asked: string | undefined): ConfigScope {
  const scopes = writableScopes(context);
  const scope = asked === undefined ? scopes[0] : scopes.find((each) => each === asked);
  if (scope !== undefined) return scope;
  const { layout } = context.options;
  throw new FittingsError(
    'CONFIG_INVALID',
    `The layout ${layout} has no scope "${asked ?? ''}" to write to.`,
    {
      hint: `Available scopes: ${scopes.join(', ')}.`,
    },
  );
}

/** Where a server that is to be changed is written. Throws when there is none, or when it may be meant in several places. */
export function scopeOf(
  context: CommandContext,
  { loaded }: Workspace,
  name: string,
  asked: string | undefined,
): ConfigScope {
  if (asked !== undefined) return scopeFor(context, asked);
  const writable = writableScopes(context);
  const found = [...new Set(loaded.entries.filter((entry) => entry.name === name).map(({ scope }) => scope))];
  const changeable = found.filter((scope) => writable.includes(scope));
  const [scope, ...others] = changeable;
  if (scope === undefined) {
    throw found.length === 0
      ? new FittingsError('SERVER_UNKNOWN', `No server is named "${name}".`, {
          hint: `Configured servers: ${[...new Set(loaded.entries.map((entry) => entry.name))].join(', ') || 'none'}.`,
        })
      : new FittingsError(
          'CONFIG_READ_ONLY',
          `The server "${name}" (${found.join(', ')}) cannot be changed here.`,
        );
  }
  if (others.length > 0) {
    throw new FittingsError('CONFIG_INVALID', `The server "${name}" is defined in several scopes.`, {
      server: name,
      hint: `Choose one: --scope ${changeable.join('|')}`,
    });
  }
  return scope;
}
