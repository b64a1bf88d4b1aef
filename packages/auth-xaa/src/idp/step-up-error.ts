import { oauthErrorCode } from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError } from '@mcp-fittings/client-core';
import type { StepUp } from './step-up.js';

/** The stronger sign-in that a refusal demands; undefined when it demands none. */
export function stepUpIn(error: unknown): StepUp | undefined {
  if (!(error instanceof FittingsError) || oauthErrorCode(error) !== STEP_UP_ERROR) return undefined;
  const { acrValues, maxAge } = error.details;
  return {
    acrValues: typeof acrValues === 'string' ? acrValues : undefined,
    maxAge: typeof maxAge === 'number' ? maxAge : undefined,
  };
}

/** @see https://www.rfc-editor.org/rfc/rfc9470.html#section-3 */
export const STEP_UP_ERROR = 'insufficient_user_authentication';
