import { FittingsError, type SignInOptions } from '@mcp-fittings/client-core';
import { depart, redeem } from '../flow/authorization-code.js';
import { toRecord } from '../tokens/token-response.js';
import { recordContext } from './context.js';
import { leavePending, takePending } from './pending-sign-in.js';
import { codeFacts, noClient, planSignIn, type SignIn } from './sign-in.js';

export interface StartSignInOptions extends SignInOptions {
  /** Page of the host that the person comes back to, `https` or on the loopback interface. */
  readonly redirectUri: string;
  /** How long the person may take, milliseconds. Default 600 000. */
  readonly lifeMs?: number | undefined;
}

export interface StartedSignIn {
  /** Where to send the browser; canonical, http or https. */
  readonly url: URL;
  /** Comes back in the callback: keep it in the session of the browser, and compare. */
  readonly state: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A sign-in that one process begins and another one may end: everything in between lies in the store. */
export interface WebSignIn {
  /** Rejects with `AUTH_FAILED`, `AUTH_DISCOVERY_FAILED`, and the codes of the store and the network. */
  startSignIn(options: StartSignInOptions): Promise<StartedSignIn>;
  /**
   * `callback` is the address that the person came back to. Each start is good for one; of several at once one succeeds.
   * Rejects with `AUTH_FAILED`, `TIMEOUT` when it took too long, and the codes of the store and the network.
   */
  completeSignIn(callback: string | URL, options?: Pick<SignInOptions, 'signal'>): Promise<void>;
}

const LIFE_MS = 600_000;

export async function startSignIn(
  parts: SignIn,
  { redirectUri, lifeMs = LIFE_MS, ...request }: StartSignInOptions,
): Promise<StartedSignIn> {
  const { context, clients } = parts;
  const { server, network, store, clock } = context;
  const plan = await planSignIn(parts, request);
  const { discovered, scopes, signal } = plan;
  const { authorizationServer } = discovered;
  const client =
    (await clients.find({ authorizationServer, redirectUri, scopes, signal })) ??
    noClient(server, authorizationServer.issuer);
  const dpop = await context.proofFor(discovered);
  const { url, departure } = await depart({
    ...codeFacts(plan),
    network,
    server,
    authorizationServer,
    client,
    dpop,
    signal,
    redirectUri,
  });
  const expiresAt = clock.now() + lifeMs;
  await leavePending(store, {
    ...departure,
    entry: context.keyOf('oauth'),
    issuer: authorizationServer.issuer,
    redirectUri,
    clientId: client.clientId,
    resource: discovered.resource,
    resourceMetadata: discovered.resourceMetadata,
    dpop: dpop !== undefined,
    scopes,
    expiresAt,
  });
  return { url, state: departure.state, expiresAt };
}

export async function completeSignIn(
  parts: SignIn,
  callback: string | URL,
  { signal }: Pick<SignInOptions, 'signal'> = {},
): Promise<void> {
  const { context, clients, keeper } = parts;
  const { server, network, store, clock } = context;
  const text = String(callback);
  const answer = URL.canParse(text) ? new URL(text).searchParams : new URLSearchParams();
  const [state, ...more] = answer.getAll('state');
  if (state === undefined || more.length > 0) throw notTheAnswer(server);
  const pending = await takePending(store, state, context.keyOf('oauth'), server, clock.now());
  const { issuer, resource, resourceMetadata, redirectUri, clientId, scopes } = pending;
  const tokenType = pending.dpop ? 'DPoP' : 'Bearer';
  const discovered = await context.find({ record: { issuer, resourceMetadata, tokenType }, signal });
  const { authorizationServer } = discovered;
  // What was found then is what the code is for; nothing of it goes to whoever the server names now.
  if (authorizationServer.issuer !== issuer || discovered.resource !== resource) throw moved(server, issuer);
  const client =
    (await clients.find({ authorizationServer, clientId, scopes, signal })) ?? noClient(server, issuer);
  if (client.clientId !== clientId) noClient(server, issuer);
  const dpop = pending.dpop ? await context.proofs.handle() : undefined;
  const response = await redeem(
    {
      ...codeFacts({ ...parts, discovered, scopes, signal }),
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
  await keeper.keep(toRecord(response, recordContext(context, discovered, clientId, scopes)));
}

function notTheAnswer(server: string): FittingsError {
  return new FittingsError('AUTH_FAILED', `This is not the answer to a sign-in to "${server}".`, {
    server,
    hint: 'Pass the whole address that the person came back to.',
  });
}

function moved(server: string, issuer: string): FittingsError {
  return new FittingsError('AUTH_FAILED', `"${server}" named another place than ${issuer} meanwhile.`, {
    server,
    hint: 'Start the sign-in again.',
  });
}
