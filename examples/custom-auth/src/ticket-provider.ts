import { type AuthProvider, FittingsError } from '@mcp-fittings/client-core';

/** Options of {@link createTicketProvider}. */
export interface TicketProviderOptions {
  /** URL of the MCP server. Only its origin receives tickets. */
  readonly url: string | URL;
  /** Returns a new ticket. Called once for all requests that wait for one. */
  readonly issue: () => Promise<string>;
  /** Name of the server for error messages. Default: the host of `url`. */
  readonly server?: string | undefined;
  /** Returns the current time in milliseconds. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** If a new ticket is refused within this time, tickets are not the problem. */
const PROBATION_MS = 10_000;

/**
 * Creates a provider that signs requests with `Authorization: Bearer <ticket>`. Rejects with `AUTH_FAILED` if `issue` fails, and
 * with `AUTH_REJECTED` if the server refuses a new ticket too.
 */
export function createTicketProvider(options: TicketProviderOptions): AuthProvider {
  const { url, issue, server, now = Date.now } = options;
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
          throw new FittingsError('AUTH_FAILED', `Could not get a ticket for the server "${name}".`, {
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
    new FittingsError('AUTH_REJECTED', `The server "${name}" refused a new ticket.`, {
      server: name,
      delivery: 'rejected',
    });

  return {
    async headers(request) {
      if (request.url.origin !== origin) return {};
      return { authorization: held ?? (await next()) };
    },
    async onChallenge({ refused }) {
      // Another request was refused too and has already got a new ticket.
      if (held !== undefined && refused !== undefined && refused !== held) return 'retry';
      if (pending === undefined && now() < onProbationUntil) throw refusal();
      await next();
      onProbationUntil = now() + PROBATION_MS;
      return 'retry';
    },
  };
}
