import { FittingsError, systemClock, type AuthProvider, type Clock } from '@mcp-fittings/client-core/auth';

export interface TicketProviderOptions {
  /** URL of the MCP server: its origin gets the tickets, and no other. */
  readonly url: string | URL;
  /** Gets a new ticket. Called once for all that wait for one. */
  readonly issue: () => Promise<string>;
  /** Name of the server, for messages. */
  readonly server?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** A ticket that was got because of a refusal, and is refused as soon as this, was not what was wrong. */
const PROBATION_MS = 10_000;

/**
 * Signs requests with `Authorization: Bearer <ticket>`. Rejects with `AUTH_FAILED` when there is no ticket to be had, and
 * with `AUTH_REJECTED` when the server refuses a new one as well.
 */
export function createTicketProvider(options: TicketProviderOptions): AuthProvider {
  const { url, issue, server, clock = systemClock } = options;
  const { origin, host } = new URL(url);
  const name = server ?? host;
  let held: string | undefined;
  let pending: Promise<string> | undefined;
  let onProbationUntil = 0;

  const next = (): Promise<string> => {
    pending ??= issue()
      .then(
        (value) => (held = `Bearer ${value}`),
        (cause: unknown) => {
          throw new FittingsError('AUTH_FAILED', `There is no ticket for "${name}".`, {
            server: name,
            cause,
          });
        },
      )
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };

  const refusal = (): FittingsError =>
    new FittingsError('AUTH_REJECTED', `"${name}" refuses every ticket.`, {
      server: name,
      delivery: 'rejected',
    });

  return {
    async headers(request) {
      if (request.url.origin !== origin) return {};
      return { authorization: held ?? (await next()) };
    },
    async onChallenge({ refused }) {
      // Somebody else was refused as well, and was faster.
      if (held !== undefined && refused !== undefined && refused !== held) return 'retry';
      if (pending === undefined && clock.now() < onProbationUntil) throw refusal();
      await next();
      onProbationUntil = clock.now() + PROBATION_MS;
      return 'retry';
    },
  };
}
