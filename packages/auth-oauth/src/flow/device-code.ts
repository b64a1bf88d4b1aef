import { escapeText, FittingsError, type Clock } from '@mcp-fittings/client-core/auth';
import { sleep } from '@mcp-fittings/client-core/timing';
import {
  allowInsecureRequests,
  customFetch,
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
  type DeviceAuthorizationResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { checkEndpoint } from '../discovery/endpoint-policy.js';
import { checkPage, type PagePolicy } from '../discovery/page-policy.js';
import { createToldSecrets } from '../told-secrets.js';
import { oauthErrorOf, oauthFailure } from '../failures.js';
import { libraryFetch } from '../library-fetch.js';
import { forLibrary } from '../registration/client.js';
import { jsonOnly, requestToken, type TokenRequest } from '../tokens/token-request.js';
import { givenUp } from './given-up.js';
import type { DeviceInteraction, DevicePrompt } from './interaction.js';

export interface DeviceCodeRequest extends TokenRequest {
  readonly surface: DeviceInteraction;
  readonly scopes: readonly string[];
  readonly resource?: string | undefined;
  readonly clock: Clock;
  /** What the person may be sent to. */
  readonly pages: PagePolicy;
}

const DEFAULT_INTERVAL_S = 5;
const LONGEST_INTERVAL_S = 60;
/** A code that claims to live longer is not waited for, seconds. */
const LONGEST_LIFE_S = 1800;

/**
 * The device authorization grant: shows a code, and asks until the person has entered it somewhere. Rejects with
 * `AUTH_FAILED`, `TIMEOUT` when the code has expired, `ABORTED`.
 * @see https://www.rfc-editor.org/rfc/rfc8628.html
 */
export async function deviceCode(request: DeviceCodeRequest): Promise<TokenEndpointResponse> {
  const { clock, server, surface, signal, authorizationServer: as } = request;
  const given = await start(request);
  const lifeMs = Math.min(Math.max(given.expires_in, 1), LONGEST_LIFE_S) * 1000;
  const end = clock.now() + lifeMs;
  const page = (name: string, url: string): string => {
    const checked = checkEndpoint(name, url);
    checkPage(name, checked, request.pages);
    return checked;
  };
  await show(surface, {
    server,
    verificationUri: page('verification_uri', given.verification_uri),
    verificationUriComplete:
      given.verification_uri_complete === undefined
        ? undefined
        : page('verification_uri_complete', given.verification_uri_complete),
    userCode: escapeText(given.user_code, { maxLength: 100 }),
    expiresInMs: lifeMs,
  });
  for (let interval = given.interval ?? DEFAULT_INTERVAL_S; ;) {
    interval = Math.min(Math.max(interval, 1), LONGEST_INTERVAL_S);
    await sleep(interval * 1000, { clock, signal }).catch(() => {
      throw givenUp(server);
    });
    if (clock.now() >= end) {
      throw new FittingsError('TIMEOUT', `Nobody entered the code for "${server}" at ${as.issuer}.`, {
        server,
      });
    }
    const answer = await poll(request, given.device_code);
    if (typeof answer !== 'string') return answer;
    if (answer === 'slow_down') interval += 5;
  }
}

/** The host's own function: what it throws is not a failure of the sign-in. */
async function show(surface: DeviceInteraction, prompt: DevicePrompt): Promise<void> {
  try {
    await surface.show(prompt);
  } catch (cause) {
    if (cause instanceof FittingsError) throw cause;
    throw new FittingsError(
      'CALLBACK_FAILED',
      `The code to sign in to "${prompt.server}" could not be shown.`,
      {
        server: prompt.server,
        cause,
      },
    );
  }
}

async function start(request: DeviceCodeRequest): Promise<DeviceAuthorizationResponse> {
  const { authorizationServer: as, client, server, scopes, resource, network, signal } = request;
  const library = forLibrary(client);
  const parameters = {
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(resource !== undefined && { resource }),
  };
  const told = createToldSecrets();
  try {
    const response = await deviceAuthorizationRequest(as, library, client.authenticate, parameters, {
      [customFetch]: libraryFetch(network, told),
      [allowInsecureRequests]: true,
      ...(signal !== undefined && { signal }),
    });
    return await processDeviceAuthorizationResponse(as, library, jsonOnly(response, as, server));
  } catch (cause) {
    throw oauthFailure(cause, `Asking ${as.issuer} for a code to enter failed`, { server, told });
  }
}

/** The tokens, or why there are none yet. */
async function poll(request: DeviceCodeRequest, code: string): Promise<TokenEndpointResponse | string> {
  try {
    return await requestToken(
      request,
      'Asking for the token',
      (as, library, options) =>
        deviceCodeGrantRequest(as, library, request.client.authenticate, code, options),
      processDeviceCodeResponse,
    );
  } catch (error) {
    const reason = oauthErrorOf(error);
    if (reason === 'authorization_pending' || reason === 'slow_down') return reason;
    // RFC 8628, section 3.5: a connection that fails is tried again, more slowly.
    if (error instanceof FittingsError && error.retryable) return 'slow_down';
    throw error;
  }
}
