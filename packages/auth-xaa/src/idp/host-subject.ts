import { FittingsError } from '@mcp-fittings/client-core';
import { readJwt } from '../jwt.js';
import type { Connection } from './connection.js';
import type { IdentityProviderOptions, SubjectToken } from './options.js';

/**
 * What the host has to prove who the person is; undefined when it has nothing, or nothing that is still good. Rejects with
 * `CALLBACK_FAILED` when it threw, or gave an ID token of another issuer or for another client.
 */
export async function askHost(
  { context: { clock }, issuer, clientId }: Connection,
  { subjectToken }: IdentityProviderOptions,
  server: string,
): Promise<SubjectToken | undefined> {
  const subject = await call(subjectToken, server);
  if (subject?.type !== 'id_token') return subject;
  const claims = readJwt(subject.token)?.claims;
  const audience = claims?.['aud'];
  const isOurs = audience === clientId || (Array.isArray(audience) && audience.includes(clientId));
  if (claims?.['iss'] !== issuer || !isOurs) {
    throw new FittingsError(
      'CALLBACK_FAILED',
      `The host's ID token is not one of ${issuer} for this client.`,
      {
        server,
        hint: 'It has to be issued by the configured issuer, to the configured client id.',
      },
    );
  }
  const { exp, sub } = claims;
  if (typeof sub !== 'string' || sub === '') {
    throw new FittingsError('CALLBACK_FAILED', "The host's ID token does not say who the person is.", {
      server,
      hint: 'It has to have the claim "sub".',
    });
  }
  return typeof exp === 'number' && exp * 1000 > clock.now() ? subject : undefined;
}

async function call(
  ask: IdentityProviderOptions['subjectToken'],
  server: string,
): Promise<SubjectToken | undefined> {
  try {
    return await ask?.();
  } catch (cause) {
    throw new FittingsError('CALLBACK_FAILED', 'The host could not say who the person is.', {
      server,
      cause,
    });
  }
}
