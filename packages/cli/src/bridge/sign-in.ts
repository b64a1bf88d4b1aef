import { type InteractionChooser, deviceCode, loopback, detectEnvironment } from '@mcp-fittings/auth-oauth';
import {
  type AuthChallenge,
  type AuthProvider,
  AuthRequiredError,
  FittingsError,
  type ServerConfig,
  type TokenStore,
} from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';
import { hasNoSignInService, refusalWithoutSignIn, withServerName } from '../session/sign-in-errors.js';

export interface BridgeSignInOptions {
  readonly server: string;
  readonly config: ServerConfig;
  /** Undefined: the user is not asked, and the client gets an error with the sign-in command. */
  readonly provider: AuthProvider | undefined;
  readonly store: TokenStore;
  /** The command with which the user signs in. */
  readonly loginCommand: string;
  readonly signal: AbortSignal;
}

/**
 * Signs the user in, unless the challenge of the refusal can be met without a new sign-in. Rejects with the error for the client if
 * that is not possible.
 */
export type BridgeSignIn = (refusal: AuthRequiredError) => Promise<void>;

/**
 * Creates a sign-in that is shared by all bridges to one server with one store, in this process and in others. The
 * second bridge waits for the first and uses its credentials, so that only one page is opened.
 */
export function createBridgeSignIn(options: BridgeSignInOptions): BridgeSignIn {
  const { server, config, provider, store, loginCommand, signal } = options;
  const key = `bridge-sign-in\n${String(config['url'])}`;
  let running: Promise<void> | undefined;

  const signIn = async (challenge: AuthChallenge | undefined): Promise<void> => {
    if (challenge !== undefined && (await isCured(challenge))) return;
    await provider?.signIn?.({ challenge, signal });
  };
  const isCured = async (challenge: AuthChallenge): Promise<boolean> => {
    try {
      await provider?.onChallenge(challenge);
      return true;
    } catch (error) {
      if (error instanceof AuthRequiredError) return false;
      throw error;
    }
  };
  /** A sign-in takes longer than the store waits for a lock. */
  const inTurn = async (challenge: AuthChallenge | undefined): Promise<void> => {
    for (;;) {
      try {
        return await store.withLock(key, () => signIn(challenge));
      } catch (error) {
        const isBusy = error instanceof FittingsError && error.code === 'STORE_BUSY';
        if (!isBusy || signal.aborted) throw error;
      }
    }
  };

  return async (refusal) => {
    if (provider?.signIn === undefined) {
      const required = new CommandError('AUTH_REQUIRED', refusal.message, {
        server,
        cause: refusal,
        hint: `Sign in from a terminal: ${loginCommand}`,
      });
      throw refusalWithoutSignIn(server, config, refusal) ?? required;
    }
    try {
      running ??= inTurn(refusal.challenge).finally(() => {
        running = undefined;
      });
      await running;
    } catch (cause) {
      const refused = hasNoSignInService(cause) ? refusalWithoutSignIn(server, config, refusal) : undefined;
      throw refused ?? withServerName(cause, server);
    }
  };
}

/**
 * Chooses how the user signs in while stdin and stdout carry messages: in a browser, whose address is printed to stderr
 * too, or with a code if there is no browser. Returns undefined if no user is present.
 */
export function bridgeInteraction({ env, output, clock }: CommandDeps): InteractionChooser | undefined {
  const place = detectEnvironment(env);
  if (place === 'unattended') return undefined;
  const onUrl = ({ server, url }: { readonly server: string; readonly url: URL }): void =>
    output.note(`Sign in to "${sanitizeText(server)}" in your browser: ${url.href}`);
  return ({ deviceGrant }) =>
    deviceGrant && place === 'remote'
      ? deviceCode({
          show: ({ server, verificationUri, userCode }) =>
            output.note(
              `Sign in to "${sanitizeText(server)}": open ${verificationUri} and enter ${userCode}`,
            ),
        })
      : loopback({ onUrl, clock });
}
