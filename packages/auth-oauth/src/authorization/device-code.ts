import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { escapeText } from '@mcp-fittings/toolbox/text';
import { abortable, sleep } from '@mcp-fittings/toolbox/timing';
import {
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
  type DeviceAuthorizationResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { checkBrowserTarget, checkEndpoint, type MetadataPolicy } from '../discovery/accepted-metadata.js';
import { signInAborted, type DeviceInteraction, type DevicePrompt } from '../interaction/interaction.js';
import { oauthErrorCode } from '../protocol/oauth-error.js';
import { callEndpoint, requestToken, targetParameters, type TokenRequest } from '../tokens/token-endpoint.js';
import { asResponse } from '../protocol/endpoint.js';

/** A request of {@link deviceCodeGrant}. */
export interface DeviceCodeRequest extends TokenRequest {
  /** Shows the page and the code. */
  readonly interaction: DeviceInteraction;
  /** The scopes to request; empty to request none. */
  readonly scopes: readonly string[];
  /** The resource that the token is for. @see https://www.rfc-editor.org/rfc/rfc8707.html */
  readonly resource?: string | undefined;
  /** Time source of the polling interval and the expiry of the code. */
  readonly clock: Clock;
  /** Decides which pages the person may be sent to; `policy` of the provider. */
  readonly policy: MetadataPolicy;
}

const DEFAULT_INTERVAL_S = 5;
const LONGEST_INTERVAL_S = 60;
/** A longer `expires_in` is cut to this, seconds. */
const LONGEST_LIFE_S = 1800;

/**
 * Runs the device authorization grant: shows a code, and polls the token endpoint until the person has entered it. Rejects
 * with `AUTH_FAILED` if the server refuses, `TIMEOUT` if the code has expired, `CALLBACK_FAILED` if `show` throws, or
 * `ABORTED`.
 * @see https://www.rfc-editor.org/rfc/rfc8628.html
 */
export async function deviceCodeGrant(request: DeviceCodeRequest): Promise<TokenEndpointResponse> {
  const { clock, server, signal, authorizationServer: as } = request;
  const given = await start(request);
  const lifeMs = Math.min(Math.max(given.expires_in, 1), LONGEST_LIFE_S) * 1000;
  const end = clock.now() + lifeMs;
  const page = (name: string, url: string): string => {
    const checked = checkEndpoint(name, url);
    checkBrowserTarget(name, checked, request.policy);
    return checked;
  };
  await show(request, {
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
      throw signInAborted(server);
    });
    if (clock.now() >= end) {
      throw new FittingsError(
        'TIMEOUT',
        `The device code for "${server}" at ${as.issuer} expired before it was entered.`,
        {
          server,
        },
      );
    }
    const answer = await poll(request, given.device_code);
    if (typeof answer !== 'string') return answer;
    if (answer === 'slow_down') interval += 5;
  }
}

/** An error of the host's function is not a failure of the authorization server. */
async function show({ interaction, server, signal }: DeviceCodeRequest, prompt: DevicePrompt): Promise<void> {
  try {
    await abortable(interaction.show(prompt), signal, () => signInAborted(server));
  } catch (cause) {
    if (cause instanceof FittingsError) throw cause;
    throw new FittingsError(
      'CALLBACK_FAILED',
      `The "show" callback threw for the device code of the sign-in to "${server}".`,
      { server, cause },
    );
  }
}

function start(request: DeviceCodeRequest): Promise<DeviceAuthorizationResponse> {
  const { authorizationServer: as, client, scopes, resource } = request;
  const library = { client_id: client.clientId };
  const parameters = targetParameters(resource, scopes);
  return callEndpoint(
    request,
    `The device authorization request to ${as.issuer} failed`,
    (options) => deviceAuthorizationRequest(as, library, client.authenticate, parameters, options),
    (document) => processDeviceAuthorizationResponse(as, library, asResponse(document)),
  );
}

/** Polls once; returns the tokens, or the error code that asks to poll again. */
async function poll(request: DeviceCodeRequest, code: string): Promise<TokenEndpointResponse | string> {
  try {
    return await requestToken(
      request,
      'Polling for the token',
      (as, library, options) =>
        deviceCodeGrantRequest(as, library, request.client.authenticate, code, options),
      processDeviceCodeResponse,
    );
  } catch (error) {
    const reason = oauthErrorCode(error);
    if (reason === 'authorization_pending' || reason === 'slow_down') return reason;
    // RFC 8628, section 3.5: after a failed connection, poll less often.
    if (error instanceof FittingsError && error.retryable) return 'slow_down';
    throw error;
  }
}
