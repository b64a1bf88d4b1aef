import { FittingsError } from '@mcp-fittings/client-core';
import type { AuthorizationServer } from 'oauth4webapi';

/** A way for a person to take part in a sign-in: through a browser redirect, or with a device code. */
export type SignInInteraction = Interaction | DeviceInteraction;

/**
 * Chooses the interaction once the authorization server is known. Throws `AUTH_FAILED` if no interaction is possible.
 * @example
 * ```ts
 * const chooser: InteractionChooser = ({ deviceGrant }) => (deviceGrant ? deviceCode({ show }) : loopback());
 * ```
 */
export type InteractionChooser = (supported: {
  /** True if the authorization server supports the device authorization grant, which {@link deviceCode} needs. */
  readonly deviceGrant: boolean;
  /** The person who signs in, if the host serves several: `principal` of `host.signIn()`. */
  readonly principal?: string | undefined;
}) => SignInInteraction;

/**
 * An interaction that sends a browser to the authorization server and receives its redirect: `loopback()`,
 * `pasteBack()`, or one that a host implements, for example an IDE with a URI handler.
 */
export interface Interaction {
  /** Tells the interaction from a {@link DeviceInteraction}. Default `redirect`. */
  readonly kind?: 'redirect';
  /**
   * Prepares to receive the redirect, so that the redirect URI is known before the authorization request is made. Rejects
   * with `AUTH_FAILED` if that fails, for example because the port is in use.
   */
  begin(options: InteractionOptions): Promise<InteractionSession>;
}

/** Options of an {@link Interaction} for one sign-in. */
export interface InteractionOptions {
  /** Name of the server, to show to the person. Not escaped. */
  readonly server: string;
  /** The person who signs in, if the host serves several: `principal` of `host.signIn()`. */
  readonly principal?: string | undefined;
  /** The port that the redirect URI must have. Default: chosen by the interaction. */
  readonly callbackPort?: number | undefined;
  /** The host that the redirect URI must have. Default: chosen by the interaction. */
  readonly callbackHost?: '127.0.0.1' | 'localhost' | '[::1]' | undefined;
  /** The path that the redirect URI must have, with its leading slash. Default: chosen by the interaction. */
  readonly callbackPath?: string | undefined;
  /** The port of the registered redirect URI. Use it if it is free: another port takes another registration. */
  readonly preferredPort?: number | undefined;
  /** Aborts the sign-in; `authorize` then rejects with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** One sign-in with an {@link Interaction}. It is disposed of when the sign-in has ended, whatever the outcome. */
export interface InteractionSession extends AsyncDisposable {
  /** Sent to the authorization server as `redirect_uri`. */
  readonly redirectUri: string;
  /**
   * Sends the person to `url`, a normalized http or https URL, and resolves with the query parameters of the redirect that
   * carries this `state`. Redirects with another `state` are ignored. Rejects with `ABORTED` or `TIMEOUT`.
   */
  authorize(request: { readonly url: URL; readonly state: string }): Promise<URLSearchParams>;
  /** Shows the person how the sign-in ended, if a page is waiting for it. */
  finish?(outcome: 'success' | 'failure'): Promise<void>;
}

/**
 * An interaction in which the person opens a page on any device and enters a code there.
 * @see https://www.rfc-editor.org/rfc/rfc8628.html
 */
export interface DeviceInteraction {
  /** Tells the interaction from an {@link Interaction}. */
  readonly kind: 'device';
  /**
   * Shows the page and the code. It may return at once: the authorization server is polled until the person has entered the
   * code. If it throws, the sign-in rejects with `CALLBACK_FAILED`.
   */
  show(prompt: DevicePrompt): void | Promise<void>;
}

/** Content that a {@link DeviceInteraction} shows. The texts of the authorization server are checked and escaped. */
export interface DevicePrompt {
  /** Name of the server from the configuration. Not escaped. */
  readonly server: string;
  /** The person who signs in, if the host serves several: `principal` of `host.signIn()`. */
  readonly principal?: string | undefined;
  /** URL of the page at which the person enters the code. */
  readonly verificationUri: string;
  /** URL of that page with the code filled in, for example for a QR code; undefined if the server offers none. */
  readonly verificationUriComplete: string | undefined;
  /** The code to enter. */
  readonly userCode: string;
  /** Milliseconds for which the code is valid. */
  readonly expiresInMs: number;
}

/**
 * Creates an interaction for the device authorization grant: the person enters a code on any device. Use it where the program
 * has no browser and the authorization server supports the grant; otherwise the sign-in rejects with
 * `AUTH_DISCOVERY_FAILED` or `AUTH_FAILED`.
 * @example
 * ```ts
 * oauth({
 *   clientName: 'My App',
 *   store: memoryStore(),
 *   interaction: deviceCode({
 *     show: ({ verificationUri, userCode }) => console.log(`Open ${verificationUri} and enter ${userCode}.`),
 *   }),
 * });
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc8628.html
 */
export function deviceCode({ show }: Pick<DeviceInteraction, 'show'>): DeviceInteraction {
  return { kind: 'device', show };
}

/** Returns the interaction for a sign-in at this authorization server. Throws `AUTH_FAILED` if the host has none. */
export function chooseInteraction(
  server: string,
  interaction: SignInInteraction | InteractionChooser | undefined,
  authorizationServer: AuthorizationServer,
): SignInInteraction {
  if (interaction === undefined) {
    throw new FittingsError(
      'AUTH_FAILED',
      `Cannot sign in to "${server}": this program has no way to ask a person.`,
      { server, hint: 'Pass "interaction" to oauth() or createOAuthProvider().' },
    );
  }
  if (typeof interaction !== 'function') return interaction;
  return interaction({ deviceGrant: authorizationServer.device_authorization_endpoint !== undefined });
}

/**
 * Runs one sign-in through a browser: begins the interaction, calls `work` with its session, shows the person the outcome,
 * and disposes of the session. Rejects with what `begin` or `work` rejects with.
 */
export async function withInteraction<T>(
  interaction: Interaction,
  options: InteractionOptions,
  work: (session: InteractionSession) => Promise<T>,
): Promise<T> {
  const session = await interaction.begin(options);
  try {
    const result = await work(session);
    await session.finish?.('success');
    return result;
  } catch (error) {
    await session.finish?.('failure');
    throw error;
  } finally {
    // Not `using`: some browsers have no Symbol.asyncDispose.
    await session[Symbol.asyncDispose]();
  }
}

export function signInAborted(server: string): FittingsError {
  return new FittingsError('ABORTED', `The sign-in to "${server}" was aborted.`, { server });
}
