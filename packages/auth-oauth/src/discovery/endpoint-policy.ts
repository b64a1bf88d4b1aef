import { FittingsError, sanitizeText } from '@mcp-fittings/client-core/auth';
import { isLoopbackHost } from '@mcp-fittings/http-client';

/**
 * The canonical form of an endpoint that a stranger named: https, or http on this machine's loopback, without credentials.
 * Throws `AUTH_DISCOVERY_FAILED`. Everything else could reach a shell, a file or an eavesdropper.
 */
export function checkEndpoint(name: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url !== undefined && isWeb && url.username === '' && url.password === '') return url.href;
  const shown = sanitizeText(value, { maxLength: 200 });
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The authorization server names "${shown}" as its ${name}.`,
    {
      hint: 'Only https is accepted, and http on this machine.',
      details: { reason: 'endpoint' },
    },
  );
}
