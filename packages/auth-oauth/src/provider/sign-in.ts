import { FittingsError, type SignInOptions } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { authorizationCodeGrant } from '../authorization/authorization-code.js';
import { deviceCodeGrant } from '../authorization/device-code.js';
import type { CachedDiscovery } from '../discovery/discover.js';
import {
  chooseInteraction,
  signInAborted,
  withInteraction,
  type DeviceInteraction,
  type Interaction,
} from '../interaction/interaction.js';
import { parseRedirectUri } from '../interaction/redirect-uri.js';
import { oauthErrorCode } from '../protocol/oauth-error.js';
import type { ClientRegistry } from './client-registry.js';
import { absentWhenCorrupt } from '../tokens/corrupt-store.js';
import type { OAuthClient, TokenRequest } from '../tokens/token-endpoint.js';
import type { TokenManager } from '../tokens/token-manager.js';
import { createTokenRecord } from '../tokens/token-record.js';
import type { OAuthProviderOptions } from '../options.js';
import type { ProviderContext } from './provider-context.js';
import type { StepUpLimiter } from './step-up-limiter.js';
import { mergeScopes, parseOAuthChallenge } from '../protocol/values.js';

/** Dependencies of a sign-in, from discovery to the stored token. */
export interface SignInContext {
  readonly provider: ProviderContext;
  readonly clients: ClientRegistry;
  readonly tokens: TokenManager;
  readonly stepUps: StepUpLimiter;
  readonly options: OAuthProviderOptions;
}

/** A sign-in whose authorization server and scopes are known. */
export interface SignInPlan extends SignInContext {
  readonly discovered: CachedDiscovery;
  readonly scopes: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** Signs a person in with the interaction of the host, and stores the token. */
export async function signIn(context: SignInContext, request: SignInOptions): Promise<void> {
  const plan = await planSignIn(context, request);
  const { provider, options, discovered } = plan;
  const interaction = chooseInteraction(provider.server, options.interaction, discovered.authorizationServer);
  await (interaction.kind === 'device' ? withDevice(plan, interaction) : withRedirect(plan, interaction));
  if (isStepUp(request)) context.stepUps.add();
}

/** Returns whether the server asked for the sign-in because the token lacks a scope. */
export function isStepUp({ challenge }: SignInOptions): boolean {
  return challenge?.status === 403;
}

/** Discovers the authorization server, and decides which scopes to request. */
export async function planSignIn(
  context: SignInContext,
  { signal, challenge }: SignInOptions,
): Promise<SignInPlan> {
  const { provider, tokens, options } = context;
  if (signal?.aborted === true) throw signInAborted(provider.server);
  const record = await tokens.reload().catch(absentWhenCorrupt);
  const discovered = await provider.discovery.discover({ record, challenge, signal });
  const parsed = parseOAuthChallenge(challenge);
  const held = parsed.error === 'insufficient_scope' ? (record?.requested ?? []) : [];
  return { ...context, discovered, scopes: scopesFor(options, parsed.scopes, held, discovered), signal };
}

/** Returns what the authorization code grant needs besides the client. */
export function codeGrantOptions({ discovered, scopes, options }: SignInPlan) {
  const { loginHint } = options;
  return {
    scopes,
    resource: discovered.resourceParameter,
    issuerKnown: discovered.issuerKnown,
    allowMissingPkceSupport: options.allowMissingPkceSupport ?? false,
    parameters: {
      ...(scopes.includes('offline_access') && { prompt: 'consent' }),
      ...(loginHint !== undefined && { login_hint: loginHint }),
    },
  };
}

async function withRedirect(plan: SignInPlan, interaction: Interaction): Promise<void> {
  const { provider, clients, discovered, options, signal } = plan;
  const { server } = provider;
  const preferredPort = await clients.registeredPort(discovered.authorizationServer.issuer);
  const redirect =
    options.redirectUri === undefined ? undefined : parseRedirectUri(options.redirectUri, server);
  const callbackPort = redirect?.callbackPort ?? options.callbackPort;
  await withInteraction(
    interaction,
    { server, ...redirect, callbackPort, preferredPort, signal },
    (session) =>
      asClient(plan, session.redirectUri, (request) =>
        authorizationCodeGrant({ ...request, session, ...codeGrantOptions(plan) }),
      ),
  );
}

async function withDevice(plan: SignInPlan, interaction: DeviceInteraction): Promise<void> {
  const { provider, scopes, discovered } = plan;
  const { clock, policy } = provider;
  const { resourceParameter: resource } = discovered;
  await asClient(
    plan,
    DEVICE_REDIRECT,
    (request) => deviceCodeGrant({ ...request, interaction, scopes, resource, clock, policy }),
    [DEVICE_GRANT],
  );
}

/** A registration must have a redirect URI, although the device grant never redirects. */
const DEVICE_REDIRECT = 'http://127.0.0.1/callback';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Obtains a token and stores it. Registers the client again, once, if the authorization server has forgotten it. */
async function asClient(
  { provider, clients, tokens, discovered, scopes, signal }: SignInPlan,
  redirectUri: string,
  grant: (request: TokenRequest) => Promise<TokenEndpointResponse>,
  grantTypes?: readonly string[],
): Promise<void> {
  const { server, network, clock } = provider;
  const { authorizationServer } = discovered;
  const once = async (client: OAuthClient) => {
    const dpop = await provider.dpopKeyFor(discovered);
    const response = await grant({ network, server, authorizationServer, client, dpop, signal });
    const { clientId } = client;
    return createTokenRecord(response, { server, discovered, clientId, requested: scopes, now: clock.now() });
  };
  const find = async (): Promise<OAuthClient> => {
    const client = await clients.find({ authorizationServer, redirectUri, scopes, grantTypes, signal });
    return client ?? noClient(server, authorizationServer.issuer);
  };
  const client = await find();
  const record = await once(client).catch(async (error: unknown) => {
    if (oauthErrorCode(error) !== 'invalid_client' || client.origin !== 'registered') throw error;
    await clients.forget(client);
    return once(await find());
  });
  await tokens.keep(record);
}

export function noClient(server: string, issuer: string): never {
  throw new FittingsError('AUTH_FAILED', `"${server}" has no OAuth client for ${issuer}.`, { server });
}

function scopesFor(
  options: OAuthProviderOptions,
  demanded: readonly string[] | undefined,
  held: readonly string[],
  { scopes, authorizationServer }: CachedDiscovery,
): readonly string[] {
  const wanted = options.scopes ?? demanded ?? scopes ?? [];
  const all = mergeScopes(held, wanted, demanded ?? []);
  // Yields a refresh token; a server that does not list the scope would refuse the request.
  const offline = authorizationServer.scopes_supported?.includes('offline_access') === true;
  return offline && all.length > 0 ? mergeScopes(all, ['offline_access']) : all;
}
