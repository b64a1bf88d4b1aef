import { oauthErrorOf, revoke } from '@mcp-fittings/auth-oauth/flows';
import { FittingsError } from '@mcp-fittings/client-core';
import { abortable } from '@mcp-fittings/client-core/timing';
import { exchangeFailure } from '../failures.js';
import { keyOf, type Assertion, type IdJagTarget } from '../jag/assertion.js';
import { createAssertionCache } from '../jag/assertion-cache.js';
import { checkReply } from '../jag/check-reply.js';
import { exchange } from '../jag/exchange.js';
import { ID_JAG } from '../jag/token-types.js';
import { createConnection } from './connection.js';
import type { IdentityProviderOptions } from './options.js';
import { askPerson } from './person.js';
import { createSharedSignIn, isSignedIn, type Subject } from './shared-sign-in.js';
import { createStepUps, type StepUpRequest } from './step-up.js';
import { stepUpIn } from './step-up-error.js';

/** The company's identity provider, shared by the providers of all servers. */
export interface IdentityProvider {
  readonly issuer: string;
  /** Id of the sign-in that counts; undefined when nobody is signed in. Another one means: another person, or signed out since. */
  session(): Promise<string | undefined>;
  /**
   * Opaque name of the proof that the sign-in rests on, which changes with every sign-in and renewal; undefined when nobody is
   * signed in. With `again` the store is read: another process may have signed in. Asks no server.
   */
  proof(options?: { readonly again?: boolean }): Promise<string | undefined>;
  /**
   * An assertion for one resource, without a person. Rejects with `AUTH_REQUIRED`, `AUTH_EXCHANGE_FAILED`, `POLICY_DENIED`,
   * `AUTH_DISCOVERY_FAILED`, and with the codes of network and store.
   */
  assertionFor(target: IdJagTarget, signal?: AbortSignal): Promise<Assertion>;
  /** It was refused: the next one is a new one, and where it had been shown before, none is shown twice there again. */
  discard(target: IdJagTarget, assertion: Assertion): void;
  /** A server wants a stronger sign-in. What to throw; undefined when trying again will help. */
  stepUp(request: StepUpRequest): FittingsError | undefined;
  /** Signs the person in, unless that is not needed. One page for all who ask at the same time. */
  signIn(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Forgets the sign-in, here and there. What was derived from it is dropped by its owners. */
  signOut(): Promise<void>;
}

/** Throws `CONFIG_INVALID`. One for all providers that shall share a sign-in. */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const connection = createConnection(options);
  const { context, issuer, clientId } = connection;
  const { clock, logger, network, server: name } = context;
  const shared = createSharedSignIn(connection, options);
  const stepUps = createStepUps(issuer, clock);
  const cache = createAssertionCache(clock);
  const singleUse = new Set<string>();
  /** Asking again before the person has signed in is of no use. */
  const waiting = new Map<string, FittingsError>();
  let running: Promise<void> | undefined;

  const ask = async (target: IdJagTarget, subject: Subject, signal?: AbortSignal): Promise<Assertion> => {
    const { server, audience, resource, scopes } = target;
    const request = await connection.request({ server, signal });
    const reply = await exchange(request, 'Exchanging the sign-in for an assertion', subject, {
      requested_token_type: ID_JAG,
      audience,
      resource,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    });
    const checked = checkReply(reply, { ...target, issuer, now: clock.now() });
    return { ...checked, session: subject.session, reused: false };
  };

  const askAgain = async (
    error: unknown,
    target: IdJagTarget,
    refused: Subject,
    signal?: AbortSignal,
  ): Promise<Assertion> => {
    const demanded = stepUpIn(error);
    const stepUp = demanded && stepUps.demand({ ...demanded, server: target.server });
    if (stepUp !== undefined) {
      waiting.set(waitKey(target, refused.session), stepUp);
      throw stepUp;
    }
    // RFC 8693, section 2.2.2 has the second one for a subject that is not valid; real servers say the first.
    const blamesSubject = ['invalid_grant', 'invalid_request'].includes(oauthErrorOf(error) ?? '');
    const other = blamesSubject ? await shared.replace(refused, target.server) : undefined;
    if (other === undefined) throw error;
    return ask(target, other, signal);
  };

  const signInNow = async (signal: AbortSignal | undefined): Promise<void> => {
    await shared.begin(await askPerson(connection, options, stepUps.wanted ?? {}, signal));
    cache.clear();
    waiting.clear();
    stepUps.answer();
  };

  const signIn = async (signal: AbortSignal | undefined): Promise<void> => {
    if (signal?.aborted === true) throw givenUp(name);
    if (stepUps.wanted === undefined && (await isSignedIn(shared, name))) return;
    const isOurs = running === undefined;
    running ??= signInNow(signal).finally(() => {
      running = undefined;
    });
    try {
      await abortable(running, signal, () => givenUp(name));
    } catch (error) {
      // Whoever opened the page has given up, and this caller has not.
      const isTheirs = !isOurs && error instanceof FittingsError && error.code === 'ABORTED';
      if (!isTheirs) throw error;
      await signIn(signal);
    }
  };

  return {
    issuer,
    session: () => shared.id(),
    async proof(request) {
      const before = await shared.proof();
      const now = await shared.proof(request);
      // What the identity provider demanded of the one before may be fulfilled.
      if (now !== before) waiting.clear();
      return now;
    },
    async assertionFor(target, signal) {
      const key = keyOf(target);
      const session = await shared.id();
      const waitsFor = waiting.get(waitKey(target, session));
      if (waitsFor !== undefined) throw waitsFor;
      const cached = cache.get(key, session);
      if (cached !== undefined) return { ...cached, reused: true };
      try {
        const subject = await shared.subject(target.server);
        const assertion = await ask(target, subject, signal).catch((error: unknown) =>
          askAgain(error, target, subject, signal),
        );
        if (!singleUse.has(target.audience)) cache.put(key, assertion);
        return assertion;
      } catch (error) {
        throw exchangeFailure(error, target.server);
      }
    },
    discard(target, { reused }) {
      cache.drop(keyOf(target));
      if (reused) singleUse.add(target.audience);
    },
    stepUp: (request) => stepUps.demand(request),
    signIn: ({ signal } = {}) => signIn(signal),
    async signOut() {
      const record = await shared.end();
      cache.clear();
      waiting.clear();
      stepUps.forget();
      if (record === undefined) return;
      const request = connection.request();
      await revoke({
        record: { ...record, clientId, accessToken: '' },
        network,
        server: name,
        clients: { find: async () => (await request).client },
        find: async () => ({ authorizationServer: (await request).authorizationServer }),
        logger,
      });
    },
  };
}

/** What one person has to do does not hold up another one. */
function waitKey(target: IdJagTarget, session: string | undefined): string {
  return JSON.stringify([session ?? null, keyOf(target)]);
}

function givenUp(name: string): FittingsError {
  return new FittingsError('ABORTED', `The sign-in at ${name} was given up.`, { server: name });
}
