import { AuthRequiredError, FittingsError, type ServerConfig, isRecord } from '@mcp-fittings/client-core';
import { isSecretName } from '@mcp-fittings/config';
import { CommandError } from '../output/hints.js';

/**
 * The error of a server that got a credential in a header of its entry, answered 401, and said nothing of a sign-in: most
 * probably it refuses that header. Undefined in any other case.
 */
export function refusedHeader(
  server: string,
  config: ServerConfig | undefined,
  error: unknown,
): FittingsError | undefined {
  if (!(error instanceof AuthRequiredError) || error.challenge?.status !== 401) return undefined;
  // A token of a sign-in was sent as well, or the server describes one.
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

/** Whether a sign-in failed before a person could have signed in: nothing there is an authorization server. */
export function isNoSignIn(error: unknown): boolean {
  return (
    error instanceof FittingsError &&
    (error.code === 'AUTH_DISCOVERY_FAILED' || error.details['step'] === 'registration')
  );
}

/** An error of a part that knows no server, such as the credential store, as one about this server: commands to copy name it. */
export function withServerName(error: unknown, server: string): unknown {
  if (!(error instanceof FittingsError) || error.server !== undefined) return error;
  const { code, message, kind, hint, details, delivery } = error;
  return new FittingsError(code, message, { server, cause: error, kind, hint, details, delivery });
}
