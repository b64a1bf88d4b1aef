import { abortable } from '@mcp-fittings/toolbox/timing';
import type { OpenHostOptions } from '@mcp-fittings/preset';
import { forgetInputs } from '@mcp-fittings/preset/toolkit';
import type { CommandDeps } from '../command-deps.js';
import type { RemoteOptions, SignInMethod } from '../options.js';
import { CommandError } from '../output/hints.js';
import { counted, printable } from '../output/printable.js';
import { openPrompts } from '../prompts/prompts.js';
import { signInInteraction } from '../prompts/sign-in.js';
import { createProvider, openSession } from '../session/open-session.js';
import { resolveServer } from '../session/resolve-server.js';
import { entrySecrets } from '../session/secrets.js';
import { hasNoSignInService, withServerName, refusalWithoutSignIn } from '../session/sign-in-errors.js';
import { rememberStore } from '../session/store-choice.js';
import { forgetLists } from '../session/stored-lists.js';
import { whyNotConnected } from './connect.js';

export interface LoginOptions extends RemoteOptions {
  readonly method?: SignInMethod;
  readonly timeout?: number;
}

/** Default of `--timeout`, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 300_000;

export async function login(deps: CommandDeps, server: string, options: LoginOptions): Promise<void> {
  const { output, signal, env } = deps;
  const ask = inputPrompt(deps, server);
  let entered = false;
  await using session = await openSession(deps, {
    interaction: signInInteraction(deps, options.method),
    plaintextConsent: askForConsent(deps),
    askInput: async (question) => {
      const value = await ask(question);
      entered ||= value !== undefined;
      return value;
    },
  });
  const { host } = session;
  const { name, config } = resolveServer(server, options, session.loaded, env);
  output.hide(entrySecrets([config]));
  // The values are there, whether or not the server needs a sign-in too.
  if (entered && deps.options.store !== undefined) await rememberStore(deps.options.store);
  await abortable(host.connect({ [name]: config }), signal);
  const { state: found } = host.server(server);
  const before = found.status;
  const refused = before === 'needs-auth' ? refusalWithoutSignIn(server, config, found.error) : undefined;
  if (before === 'connected') {
    output.result(
      { server, signedIn: false, status: before },
      () => `${printable(server)} is already connected: no sign-in is required.`,
    );
    return;
  }
  if (before !== 'needs-auth' && before !== 'disconnected') {
    const problem = whyNotConnected(host.server(server), session);
    if (problem !== undefined) throw problem;
  }
  const provider = await createProvider(session, { name, config }, deps);
  if (provider?.signIn === undefined) {
    const hint = 'Only a remote server has one, if its entry has no credentials and does not turn it off.';
    throw (
      refused ?? new CommandError('AUTH_FAILED', `The server "${server}" has no sign-in.`, { server, hint })
    );
  }
  const limit = AbortSignal.timeout(options.timeout ?? DEFAULT_TIMEOUT_MS);
  try {
    await host.signIn(server, { signal: AbortSignal.any([signal, limit]) });
  } catch (error) {
    // The server has no sign-in, so its refusal is about the header.
    if (refused !== undefined && hasNoSignInService(error)) throw refused;
    if (!limit.aborted || signal.aborted) throw withServerName(error, server);
    throw new CommandError('TIMEOUT', `The sign-in to "${server}" timed out.`, {
      server,
      cause: error,
      hint: 'Sign in again, with a higher --timeout if you need more time.',
    });
  }
  await forgetLists(session);
  if (deps.options.store !== undefined) await rememberStore(deps.options.store);
  const { state, counts } = host.server(server);
  output.result({ server, signedIn: true, status: state.status, tools: counts.tools }, () =>
    output.style.green(`Signed in to ${printable(server)}: ${counted(counts.tools, 'tool')}.`),
  );
}

/** Returns what asks for the values of the inputs of one server at the terminal. Those of other servers are not asked for. */
function inputPrompt(deps: CommandDeps, server: string): NonNullable<OpenHostOptions['askInput']> {
  return async (question) => {
    if (question.server !== server) return undefined;
    if (!deps.interactive)
      throw new CommandError(
        'ARGUMENTS_INVALID',
        'The value cannot be asked for, because this is not a terminal.',
      );
    const { file, password, options } = question;
    const prompts = await openPrompts(deps);
    prompts.tell(`The server "${printable(server)}" needs a value, says ${printable(file)}:`);
    // They are safe to print: they are made for a question.
    const message = question.description;
    if (options !== undefined) {
      const chosen = await prompts.select(
        message,
        options.map(({ label }, index) => ({ value: String(index), label })),
      );
      return options[Number(chosen)]?.value;
    }
    return password
      ? prompts.password(message)
      : prompts.text({ message, ...(question.default !== undefined && { initialValue: question.default }) });
  };
}

/** Signs out without connecting, so that it works while the server is down. Values of inputs are forgotten too. */
export async function logout(deps: CommandDeps, server: string, flags: RemoteOptions): Promise<void> {
  const { output, signal, env } = deps;
  await using session = await openSession(deps);
  const { host } = session;
  await forgetInputs(session.store, session.loaded, server);
  const { name, config } = resolveServer(server, flags, session.loaded, env);
  output.hide(entrySecrets([config]));
  await host.connect({ [name]: { ...config, lazy: true } });
  await abortable(host.signOut(server), signal);
  await forgetLists(session);
  output.result({ server, signedIn: false }, () => `Signed out of ${printable(server)}.`);
}

/**
 * Returns the prompt that is shown before credentials are stored unencrypted; undefined without a terminal, which means
 * no.
 */
function askForConsent(deps: CommandDeps): OpenHostOptions['plaintextConsent'] {
  if (!deps.interactive) return undefined;
  return async ({ path }) => {
    const prompts = await openPrompts(deps);
    return prompts.confirm(
      `Store credentials unencrypted in ${printable(path)}? Every program that runs under your account can read them.`,
      false,
    );
  };
}
