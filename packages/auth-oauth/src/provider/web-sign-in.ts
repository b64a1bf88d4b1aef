import { FittingsError, type SignInOptions } from '@mcp-fittings/client-core';
import { redeemCode, startAuthorization } from '../authorization/authorization-code.js';
import { createTokenRecord } from '../tokens/token-record.js';
import { savePendingSignIn, takePendingSignIn } from './pending-sign-in.js';
import { codeGrantOptions, isStepUp, noClient, planSignIn, type SignInContext } from './sign-in.js';
import { isSameIssuer } from '../protocol/values.js';

/**
 * A sign-in that one process starts and another may complete: everything in between is kept in the store.
 * @see https://github.com/mcp-fittings/mcp-fittings/blob/main/docs/fleet.md
 */
export interface WebSignIn {
  /**
   * Starts a sign-in and resolves with the page to send the browser to. Rejects with `AUTH_FAILED`,
   * `AUTH_DISCOVERY_FAILED`, or the codes of the store and the network.
   */
  startSignIn(
    options: SignInOptions & {
      /**
       * The page of the web application that the browser returns to: an `https` URL, or an `http` URL on the loopback interface.
       * A client that is registered by hand must have it among its redirect URIs.
       */
      readonly redirectUri: string;
      /** Milliseconds that the sign-in may take. `completeSignIn` rejects with `TIMEOUT` after it. Default 600 000. */
      readonly lifeMs?: number | undefined;
    },
  ): Promise<{
    /** The page of the authorization server to send the browser to: an http or https URL in its normalized form. */
    readonly url: URL;
    /**
     * The `state` parameter of the callback. Keep it in the browser's session and compare it there, so that no one completes
     * the sign-in of another person.
     */
    readonly state: string;
    /** Time when the sign-in expires, in milliseconds since the epoch. */
    readonly expiresAt: number;
  }>;
  /**
   * Completes a sign-in. `callback` is the URL that the browser returned to, with its query. Each started sign-in can be
   * completed once; of several concurrent calls one succeeds. Rejects with `AUTH_FAILED`, `TIMEOUT` when the sign-in has
   * expired, or the codes of the store and the network.
   */
  completeSignIn(callback: string | URL, options?: Pick<SignInOptions, 'signal'>): Promise<void>;
}

const LIFE_MS = 600_000;

export async function startSignIn(
  context: SignInContext,
  { redirectUri, lifeMs = LIFE_MS, ...request }: Parameters<WebSignIn['startSignIn']>[0],
): ReturnType<WebSignIn['startSignIn']> {
  const { provider, clients } = context;
  const { server, network, clock } = provider;
  const plan = await planSignIn(context, request);
  const { discovered, scopes, signal } = plan;
  const { authorizationServer } = discovered;
  const client =
    (await clients.find({ authorizationServer, redirectUri, scopes, signal })) ??
    noClient(server, authorizationServer.issuer);
  const dpop = await provider.dpopKeyFor(discovered);
  const { url, pending } = await startAuthorization({
    ...codeGrantOptions(plan),
    network,
    server,
    authorizationServer,
    client,
    dpop,
    signal,
    redirectUri,
  });
  const expiresAt = clock.now() + lifeMs;
  await savePendingSignIn(provider, {
    ...pending,
    issuer: authorizationServer.issuer,
    redirectUri,
    clientId: client.clientId,
    resource: discovered.resource,
    resourceMetadata: discovered.resourceMetadata,
    dpop: dpop !== undefined,
    scopes,
    stepUp: isStepUp(request),
    expiresAt,
  });
  return { url, state: pending.state, expiresAt };
}

export async function completeSignIn(
  context: SignInContext,
  callback: string | URL,
  { signal }: Pick<SignInOptions, 'signal'> = {},
): Promise<void> {
  const { provider, clients, tokens, stepUps } = context;
  const { server, network, clock, dpopKeys } = provider;
  const text = String(callback);
  const answer = URL.canParse(text) ? new URL(text).searchParams : new URLSearchParams();
  const [state, ...more] = answer.getAll('state');
  if (state === undefined || more.length > 0) throw invalidCallback(server);
  const pending = await takePendingSignIn(provider, state);
  const { issuer, resource, resourceMetadata, redirectUri, clientId, scopes } = pending;
  const tokenType = pending.dpop ? 'DPoP' : 'Bearer';
  const discovered = await provider.discovery.discover({
    record: { issuer, resourceMetadata, tokenType },
    signal,
  });
  const { authorizationServer } = discovered;
  // The code belongs to the issuer and resource that it was requested for; a server that now names others does not get it.
  if (!isSameIssuer(authorizationServer.issuer, issuer) || discovered.resource !== resource) {
    throw changedIssuer(server, issuer);
  }
  const client =
    (await clients.find({ authorizationServer, clientId, scopes, signal })) ?? noClient(server, issuer);
  if (client.clientId !== clientId) noClient(server, issuer);
  const dpop = pending.dpop ? await dpopKeys.handle() : undefined;
  const response = await redeemCode(
    {
      ...codeGrantOptions({ ...context, discovered, scopes, signal }),
      network,
      server,
      authorizationServer,
      client,
      dpop,
      signal,
      redirectUri,
    },
    pending,
    answer,
  );
  const record = { server, discovered, clientId, requested: scopes, now: clock.now() };
  await tokens.keep(createTokenRecord(response, record));
  if (pending.stepUp) stepUps.add();
}

function invalidCallback(server: string): FittingsError {
  return new FittingsError('AUTH_FAILED', `The callback URL does not answer a sign-in to "${server}".`, {
    server,
    hint: 'Pass the complete URL that the browser returned to, with its query.',
  });
}

function changedIssuer(server: string, issuer: string): FittingsError {
  return new FittingsError(
    'AUTH_FAILED',
    `"${server}" no longer names ${issuer}, at which this sign-in was started.`,
    { server, hint: 'Start the sign-in again.' },
  );
}
