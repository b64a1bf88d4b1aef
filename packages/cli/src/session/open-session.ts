import type { Logger } from '@mcp-fittings/client-core';
import type { CommandDeps } from '../command-deps.js';
import { jsonText, printable } from '../output/printable.js';
import type { Session, SessionOptions } from './session.js';
import { chooseStore } from './store-choice.js';

/** What the command line says about the session, for everything that opens one or reads the configuration. */
export function sessionOptions(deps: CommandDeps): SessionOptions {
  const { options, env, cwd, signal, clock } = deps;
  const { layout, mcpConfig, strictMcpConfig, plugin, store } = options;
  return {
    layout,
    mcpConfig,
    strictMcpConfig,
    plugins: plugin,
    store: chooseStore(store, env),
    storeFlag: store,
    env,
    cwd,
    signal,
    clock,
    ...(options.verbose && { logger: createLogger(deps) }),
  };
}

/** Opens the session of a command; from then on no configured secret can be printed. Dispose of it. */
export async function openSession(deps: CommandDeps, more: Partial<SessionOptions> = {}): Promise<Session> {
  const { createSession } = await import('./session.js');
  const { output } = deps;
  const session = await createSession({
    ...sessionOptions(deps),
    // A server that needs a sign-in says so; the others do not need the store.
    onStoreUnavailable: ({ message }) => output.detail(printable(message)),
    ...more,
  });
  deps.output.hide(session.secrets);
  return session;
}

/** What packages log, as notes of `--verbose`. */
function createLogger({ output }: CommandDeps): Logger {
  const log =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const facts = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
      output.detail([output.noteStyle.dim(level), printable(message, 2_000), ...facts].join(' '));
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

function textOf(value: unknown): string {
  if (value instanceof Error) return printable(value.message);
  return printable(typeof value === 'string' ? value : jsonText(value));
}
