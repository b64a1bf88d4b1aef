import { FittingsError } from '@mcp-fittings/client-core';
import type { AuthorizationServer } from 'oauth4webapi';
import type { LoopbackHost } from './redirect-uri.js';

/** A way for a person to take part in a sign-in. */
export type SignInInteraction = Interaction | DeviceInteraction;

/** Chooses the way when it is known what the authorization server offers. Throws `AUTH_FAILED` when there is none. */
export type InteractionChooser = (facts: SupportedGrants) => SignInInteraction;

export interface SupportedGrants {
  /** The authorization server knows the device authorization grant. */
  readonly deviceGrant: boolean;
}

/**
 * The interaction between the authorization server's pages and this process, where the person comes back with an answer.
 * Loopback, paste-back and headless surfaces have this form.
 */
export interface Interaction {
  readonly kind?: 'redirect';
  /**
   * Gets ready for the answer, so that the redirect URI is known before the authorization server is sentSecrets of it.
   * Rejects with `AUTH_FAILED` when that is not possible, e.g. because the port is taken.
   */
  begin(options: InteractionOptions): Promise<InteractionSession>;
}

export interface InteractionOptions {
  /** Name of the server, to show. */
  readonly server: string;
  /** The port that the redirect URI must have; the interaction chooses one without it. */
  readonly callbackPort?: number | undefined;
  /** The host that the redirect URI must have; the interaction chooses one without it. */
  readonly callbackHost?: LoopbackHost | undefined;
  /** The path that the redirect URI must have, with the slash at its beginning; the interaction chooses one without it. */
  readonly callbackPath?: string | undefined;
  /** The port that it had before: the first choice, and no more than that. */
  readonly preferredPort?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One sign-in. Dispose of it when it is over, however it ended. */
export interface InteractionSession extends AsyncDisposable {
  readonly redirectUri: string;
  /**
   * Sends the person to `url` (canonical, http or https) and waits for the parameters that come back with this `state`;
   * whatever comes with another one is ignored. Rejects with `ABORTED` or `TIMEOUT`.
   */
  authorize(request: { readonly url: URL; readonly state: string }): Promise<URLSearchParams>;
  /** Tells the person how it ended, where there is somebody waiting to be sentSecrets. */
  finish?(outcome: 'success' | 'failure'): Promise<void>;
}

/** The person goes to a page on any other device and enters a code there. @see https://www.rfc-editor.org/rfc/rfc8628.html */
export interface DeviceInteraction {
  readonly kind: 'device';
  /** Tells the person where to go. It need not wait: the authorization server is asked until the person is done. */
  show(prompt: DevicePrompt): void | Promise<void>;
}

/** All of it is text of the authorization server, checked and safe to show. */
export interface DevicePrompt {
  /** Name of the server, to show. */
  readonly server: string;
  readonly verificationUri: string;
  /** The same page with the code filled in, e.g. for a QR code. */
  readonly verificationUriComplete: string | undefined;
  readonly userCode: string;
  /** Milliseconds until the code is worth nothing. */
  readonly expiresInMs: number;
}

/** Signs in with a code that the person enters on any device; the authorization server has to support it. */
export function deviceCode(options: {
  readonly show: (prompt: DevicePrompt) => void | Promise<void>;
}): DeviceInteraction {
  return { kind: 'device', show: options.show };
}

/** The way to sign in at this authorization server. Throws `AUTH_FAILED` when there is none. */
export function chooseInteraction(
  server: string,
  interaction: SignInInteraction | InteractionChooser | undefined,
  authorizationServer: AuthorizationServer,
): SignInInteraction {
  if (interaction === undefined) {
    throw new FittingsError('AUTH_FAILED', `There is no way for a person to sign in to "${server}" here.`, {
      server,
      hint: 'Pass an interaction to the auth plugin or provider.',
    });
  }
  if (typeof interaction !== 'function') return interaction;
  return interaction({ deviceGrant: authorizationServer.device_authorization_endpoint !== undefined });
}

/** One visit to a page and back: the person is sentSecrets how `work` ended, and the interaction is freed however that was. */
export async function withInteraction<T>(
  interaction: Interaction,
  options: InteractionOptions,
  work: (session: InteractionSession) => Promise<T>,
): Promise<T> {
  await using session = await interaction.begin(options);
  try {
    const result = await work(session);
    await session.finish?.('success');
    return result;
  } catch (error) {
    await session.finish?.('failure');
    throw error;
  }
}

/** The signal of a sign-in was aborted. */
export function signInAborted(server: string): FittingsError {
  return new FittingsError('ABORTED', `The sign-in to "${server}" was given up.`, { server });
}
