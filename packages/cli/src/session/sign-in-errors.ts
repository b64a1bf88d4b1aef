import { AuthRequiredError, FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { restateError } from '@mcp-fittings/toolbox/errors';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { isSecretName } from '@mcp-fittings/config';
import { CommandError } from '../output/hints.js';

/**
 * Returns the error of a server that got a credential in a header of its entry and answered 401 without a sign-in: most
 * likely it refuses that header. Returns undefined in any other case.
 */
export function refusedHeader(
  server: string,
  config: ServerConfig | undefined,
  error: unknown,
): FittingsError | undefined {
  if (!(error instanceof AuthRequiredError) || error.challenge?.status !== 401) return undefined;
  // A token was sent too, or the server describes a sign-in.
  const { refused, wwwAuthenticate } = error.challenge;
  if (refused !== undefined || /\b(?:bearer|dpop)\b/i.test(wwwAuthenticate ?? '')) return undefined;
  const headers = isRecord(config?.['headers']) ? Object.keys(config['headers']) : [];
  const names = headers.filter((name) => isSecretName(name));
  if (names.length === 0) return undefined;
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
