import { FittingsError } from '@mcp-fittings/client-core';
import type { AuthorizationServer } from 'oauth4webapi';
import type {
  Interaction,
  InteractionOptions,
  InteractionSession,
  SignInSurface,
  SurfaceChooser,
} from './interaction.js';

/** The way to sign in at this authorization server. Throws `AUTH_FAILED` when there is none. */
export function chooseSurface(
  server: string,
  interaction: SignInSurface | SurfaceChooser | undefined,
  authorizationServer: AuthorizationServer,
): SignInSurface {
  if (interaction === undefined) {
    throw new FittingsError('AUTH_FAILED', `There is no way for a person to sign in to "${server}" here.`, {
      server,
      hint: 'Pass an interaction to the auth plugin or provider.',
    });
  }
  if (typeof interaction !== 'function') return interaction;
  return interaction({ deviceGrant: authorizationServer.device_authorization_endpoint !== undefined });
}

/** One visit to a page and back: the person is told how `work` ended, and the surface is freed however that was. */
export async function throughBrowser<T>(
  surface: Interaction,
  options: InteractionOptions,
  work: (session: InteractionSession) => Promise<T>,
): Promise<T> {
  await using session = await surface.begin(options);
  try {
    const result = await work(session);
    await session.finish?.('success');
    return result;
  } catch (error) {
    await session.finish?.('failure');
    throw error;
  }
}
