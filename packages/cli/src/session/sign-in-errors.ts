import { AuthRequiredError, FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { isSocketUrl } from '@mcp-fittings/toolbox/connect';
import { restateError } from '@mcp-fittings/toolbox/errors';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { isSecretName } from '@mcp-fittings/config';
import { CommandError } from '../output/hints.js';

/**
 * Returns the error of a server that answered 401 and to which no one can sign in: one at a socket, or one that got a credential in a
 * header of its entry, which it most likely refuses. Returns undefined in any other case.
 */
export function refusalWithoutSignIn(
  server: string,
  config: ServerConfig | undefined,
  error: unknown,
): FittingsError | undefined {
  if (!(error instanceof AuthRequiredError) || error.challenge?.status !== 401) return undefined;
  const { refused, wwwAuthenticate } = error.challenge;
  const isSocket = isSocketUrl(String(config?.['url'] ?? server));
  // A token was sent too, or the server describes a sign-in.
  const describes = refused !== undefined || /\b(?:bearer|dpop)\b/i.test(wwwAuthenticate ?? '');
  if (describes && !isSocket) return undefined;
  const headers = isRecord(config?.['headers']) ? Object.keys(config['headers']) : [];
  const names = headers.filter((name) => isSecretName(name));
  if (names.length === 0) {
    if (!isSocket) return undefined;
    const message = `The server "${server}" requires credentials, and there is no sign-in at a socket.`;
    return new CommandError('AUTH_REJECTED', message, {
      server,
      cause: error,
      hint: 'Send them in a header: set it in the entry or on the command line.',
    });
  }
  return new CommandError('AUTH_REJECTED', `The server "${server}" refuses the header ${names.join(', ')}.`, {
    server,
    cause: error,
    hint: `Correct ${names.length === 1 ? 'its value' : 'their values'} in the entry or on the command line.`,
  });
}

/** Returns whether a sign-in failed because there is no authorization server. */
export function hasNoSignInService(error: unknown): boolean {
  return (
    error instanceof FittingsError &&
    (error.code === 'AUTH_DISCOVERY_FAILED' || error.details['step'] === 'registration')
  );
}

/**
 * Adds the name of the server to an error that has none, such as one of the credential store, so that its hint can name
 * the server.
 */
export function withServerName(error: unknown, server: string): unknown {
  if (!(error instanceof FittingsError) || error.server !== undefined) return error;
  return restateError(error, { server });
}
