import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { classifySystemError } from '@mcp-fittings/toolbox/errors';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { GoogleTokenOptions } from './token-request.js';

const SIGN_IN = 'Run "gcloud auth application-default login"';

/**
 * Converts an error of Google's library into a `FittingsError`. The library's error is not kept as `cause`: it holds the
 * request, with the refresh token or the assertion in it, and a parse error can quote a key file.
 */
export function googleError(
  cause: unknown,
  { server, serviceAccount }: Pick<GoogleTokenOptions, 'server' | 'serviceAccount'>,
): FittingsError {
  const ours = fittingsErrorIn(cause);
  if (ours !== undefined) return ours;
  const { status, error, text } = googleErrorOf(cause);
  if (status !== undefined) return refusal(status, error, text, server, serviceAccount);

  const system = classifySystemError(cause);
  if (system !== undefined) {
    return new FittingsError(system, 'Could not reach Google’s token service.', { server });
  }
  const message = cause instanceof Error ? cause.message : '';
  if (message.startsWith('Could not load the default credentials')) {
    return new FittingsError('AUTH_FAILED', 'Found no Google credentials on this machine.', {
      server,
      hint: `${SIGN_IN}, or set GOOGLE_APPLICATION_CREDENTIALS to the path of a credentials file.`,
    });
  }
  const fromEnvironment = message.startsWith('Unable to read the credential file');
  return new FittingsError('AUTH_FAILED', 'The Google credentials of this machine cannot be used.', {
    server,
    hint: fromEnvironment
      ? 'Check the file at the path in GOOGLE_APPLICATION_CREDENTIALS.'
      : `${SIGN_IN} again, or check the credentials file.`,
  });
}

function refusal(
  status: number,
  error: string,
  text: string,
  server: string,
  serviceAccount: string | undefined,
): FittingsError {
  const details = { status, ...(error !== '' && { oauthError: error }) };
  if (status === 429 || status >= 500) {
    const code = status === 429 ? 'RATE_LIMITED' : 'SERVER_ERROR';
    return new FittingsError(code, `Google’s token service answered with status ${String(status)}.`, {
      server,
      details,
    });
  }
  if (hasEnded(error)) {
    return new AuthRequiredError(
      `The Google sign-in of this machine has expired or was revoked (${error}).`,
      {
        server,
        details,
        hint: `${SIGN_IN}.`,
      },
    );
  }
  const reason = text === '' ? error : `${error}: ${text}`;
  return new FittingsError(
    'AUTH_FAILED',
    `Google refused to issue a token (${String(status)}${reason === '' ? '' : `, ${reason}`}).`,
    { server, details, hint: hintFor(status, serviceAccount) },
  );
}

/** Expired, revoked, or due for the reauthentication that a company requires (`invalid_rapt`). */
function hasEnded(error: string): boolean {
  return error === 'invalid_grant' || error === 'invalid_rapt';
}

function hintFor(status: number, serviceAccount: string | undefined): string {
  if (serviceAccount !== undefined && (status === 403 || status === 404)) {
    return `Grant the role "Service Account Token Creator" on ${serviceAccount} to the credentials in use, and enable the IAM Credentials API.`;
  }
  return 'Check the scopes, and the permissions of the credentials.';
}

interface GoogleError {
  readonly status: number | undefined;
  readonly error: string;
  readonly text: string;
}

/** Google's services use two forms: that of RFC 6749, and `{ error: { code, status, message } }`. */
function googleErrorOf(cause: unknown): GoogleError {
  const response = isRecord(cause) ? cause['response'] : undefined;
  if (!isRecord(response) || typeof response['status'] !== 'number') {
    return { status: undefined, error: '', text: '' };
  }
  const data = isRecord(response['data']) ? response['data'] : {};
  const inner = isRecord(data['error']) ? data['error'] : undefined;
  return {
    status: response['status'],
    error: short(inner === undefined ? data['error'] : inner['status'], 80),
    text: short(inner === undefined ? data['error_description'] : inner['message'], 200),
  };
}

function short(value: unknown, maxLength: number): string {
  return typeof value === 'string' ? sanitizeText(value, { maxLength }) : '';
}

/** Finds an error of our fetch, which the library wraps. */
function fittingsErrorIn(error: unknown): FittingsError | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if (current instanceof FittingsError) return current;
    current = current.cause;
  }
  return undefined;
}
