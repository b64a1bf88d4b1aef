import { FittingsError, type SignInOptions } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { readChallenge } from '../discovery/challenge.js';
import { oauthErrorOf } from '../failures.js';
import { authorizationCode } from '../flow/authorization-code.js';
import { deviceCode } from '../flow/device-code.js';
import type { DeviceInteraction, Interaction } from '../flow/interaction.js';
import { chooseSurface, throughBrowser } from '../flow/surface.js';
import type { OAuthClient } from '../registration/client.js';
import type { ClientFinder } from '../registration/find-client.js';
import { union } from '../scopes.js';
import { redirectAddress } from '../surface/redirect-address.js';
import type { TokenManager } from '../tokens/token-manager.js';
import type { TokenRequest } from '../tokens/token-request.js';
import { toRecord } from '../tokens/token-response.js';
import { absentWhenCorrupt } from '../tokens/corrupt-store.js';
import { recordContext, type ProviderDeps } from './context.js';
import type { KnownServer } from './known-server.js';
import type { OAuthProviderOptions } from './options.js';

/** One sign-in of a person, from discovery to the stored token. */
export interface SignIn {
  readonly context: ProviderDeps;
  readonly clients: ClientFinder;
  readonly keeper: TokenManager;
  readonly options: OAuthProviderOptions;
}

/** A sign-in of which it is known where it goes. */
export interface Plan extends SignIn {
  readonly discovered: KnownServer;
  readonly scopes: readonly string[];
  readonly signal: AbortSignal | undefined;
}

export async function signIn(parts: SignIn, request: SignInOptions): Promise<void> {
  const plan = await planSignIn(parts, request);
  const { context, options, discovered } = plan;
  const surface = chooseSurface(context.server, options.interaction, discovered.authorizationServer);
  await (surface.kind === 'device' ? onDevice(plan, surface) : byRedirect(plan, surface));
}

/** Finds out where to sign in, and what to ask for. */
export async function planSignIn(parts: SignIn, { signal, challenge }: SignInOptions): Promise<Plan> {
  const { context, keeper, options } = parts;
  if (signal?.aborted === true) {
    throw new FittingsError('ABORTED', `The sign-in to "${context.server}" was given up.`, {
      server: context.server,
    });
  }
  const record = await keeper.reload().catch(absentWhenCorrupt);
  const discovered = await context.find({ record, challenge, signal });
  const facts = readChallenge(challenge);
  const held = facts.error === 'insufficient_scope' ? (record?.requested ?? []) : [];
  return { ...parts, discovered, scopes: scopesFor(options, facts.scopes, held, discovered), signal };
}

/** What the authorization code grant has to know besides the client. */
export function codeFacts({ discovered, scopes, options }: Plan) {
  return {
    scopes,
    resource: discovered.resource,
    issuerKnown: discovered.issuerKnown,
    allowMissingPkceSupport: options.allowMissingPkceSupport ?? false,
    parameters: scopes.includes('offline_access') ? { prompt: 'consent' } : undefined,
  };
}

async function byRedirect(plan: Plan, surface: Interaction): Promise<void> {
  const { context, clients, discovered, options, signal } = plan;
  const { server } = context;
  const preferredPort = await clients.registeredPort(discovered.authorizationServer.issuer);
  const address =
    options.redirectUri === undefined ? undefined : redirectAddress(options.redirectUri, server);
  const callbackPort = address?.callbackPort ?? options.callbackPort;
  await throughBrowser(surface, { server, ...address, callbackPort, preferredPort, signal }, (session) =>
    asClient(plan, session.redirectUri, (request) =>
      authorizationCode({ ...request, session, ...codeFacts(plan) }),
    ),
  );
}

async function onDevice(plan: Plan, surface: DeviceInteraction): Promise<void> {
  const { context, scopes, discovered } = plan;
  await asClient(
    plan,
    DEVICE_REDIRECT,
    (request) =>
      deviceCode({
        ...request,
        surface,
        scopes,
        resource: discovered.resource,
        clock: context.clock,
        pages: context.pages,
      }),
    [DEVICE_GRANT],
  );
}

/** Nothing comes back this way in the device grant, but a registration has to have one. */
const DEVICE_REDIRECT = 'http://127.0.0.1/callback';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Gets a token as the client that the server knows, and keeps it; registers anew, once, when the server has forgotten it. */
async function asClient(
  { context, clients, keeper, discovered, scopes, signal }: Plan,
  redirectUri: string,
  grant: (request: TokenRequest) => Promise<TokenEndpointResponse>,
  grantTypes?: readonly string[],
): Promise<void> {
  const { server, network } = context;
  const { authorizationServer } = discovered;
  const once = async (client: OAuthClient) => {
    const dpop = await context.proofFor(discovered);
    const response = await grant({ network, server, authorizationServer, client, dpop, signal });
    return toRecord(response, recordContext(context, discovered, client.clientId, scopes));
  };
  const find = async (): Promise<OAuthClient> => {
    const client = await clients.find({ authorizationServer, redirectUri, scopes, grantTypes, signal });
    return client ?? noClient(server, authorizationServer.issuer);
  };
  const client = await find();
  const record = await once(client).catch(async (error: unknown) => {
    if (oauthErrorOf(error) !== 'invalid_client' || client.origin !== 'registered') throw error;
    await clients.forget(client);
    return once(await find());
  });
  await keeper.keep(record);
}

export function noClient(server: string, issuer: string): never {
  throw new FittingsError('AUTH_FAILED', `There is no client for ${issuer}.`, { server });
}

function scopesFor(
  options: OAuthProviderOptions,
  demanded: readonly string[] | undefined,
  held: readonly string[],
  { scopes, authorizationServer }: KnownServer,
): readonly string[] {
  const wanted = options.scopes ?? demanded ?? scopes ?? [];
  const all = union(held, wanted, demanded ?? []);
  // Asked for so that there is a refresh token; a server that does not list it would refuse the request.
  const offline = authorizationServer.scopes_supported?.includes('offline_access') === true;
  return offline && all.length > 0 ? union(all, ['offline_access']) : all;
}
