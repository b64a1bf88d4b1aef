import type { Logger } from '@mcp-fittings/client-core';
import type { CommandContext } from '../command-context.js';
import { chooseStore } from '../composition/remembered-store.js';
import type { Session, SessionOptions } from '../composition/session.js';
import { jsonText } from '../output/json-text.js';
import { shown } from '../output/shown.js';

/** What the command line says about the session, for everything that opens one or reads the configuration. */
export function sessionOptions(context: CommandContext): SessionOptions {
  const { options, env, cwd, signal, clock } = context;
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
    ...(options.verbose && { logger: createLogger(context) }),
  };
}

/** Opens the session of a command; from then on no configured secret can be printed. Dispose of it. */
export async function openSession(
  context: CommandContext,
  more: Partial<SessionOptions> = {},
): Promise<Session> {
  const { createSession } = await import('../composition/create-session.js');
  const { output } = context;
  const session = await createSession({
    ...sessionOptions(context),
    // A server that needs a sign-in says so; the others do not need the store.
    onStoreUnavailable: ({ message }) => output.detail(shown(message)),
    ...more,
  });
  context.output.hide(session.secrets);
  return session;
}

/** What packages log, as notes of `--verbose`. */
function createLogger({ output }: CommandContext): Logger {
  const log =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const facts = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
      output.detail([output.noteStyle.dim(level), shown(message, 2_000), ...facts].join(' '));
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

function textOf(value: unknown): string {
  if (value instanceof Error) return shown(value.message);
  return shown(typeof value === 'string' ? value : jsonText(value));
}
