import { FittingsError, type Clock } from '@mcp-fittings/client-core';
import { signInRequired } from '../failures.js';

/** How a person has to have signed in. @see https://www.rfc-editor.org/rfc/rfc9470.html */
export interface StepUp {
  readonly acrValues?: string | undefined;
  /** How long ago at most, seconds. */
  readonly maxAge?: number | undefined;
}

export interface StepUpRequest extends StepUp {
  /** Name of the MCP server, for messages. */
  readonly server: string;
  /** When that was got which does not suffice, milliseconds since the epoch. */
  readonly since?: number | undefined;
}

/** Remembers which stronger sign-in is demanded, and which one was given. */
export interface StepUps {
  /** What the next sign-in has to be like; undefined when nothing is demanded. */
  readonly wanted: StepUp | undefined;
  /**
   * What to throw; undefined when the person has done it after `since`, so that trying again will help. After that, it is in
   * vain to ask the person once more for the same.
   */
  demand(request: StepUpRequest): FittingsError | undefined;
  /** The person has signed in. */
  answer(): void;
  forget(): void;
}

export function createStepUps(issuer: string, clock: Clock): StepUps {
  let wanted: StepUp | undefined;
  let given: (StepUp & { readonly at: number }) | undefined;

  /** The last sign-in was of this kind, and is recent enough. */
  const isGiven = ({ acrValues, maxAge }: StepUp): boolean =>
    given !== undefined &&
    given.acrValues === acrValues &&
    given.maxAge === maxAge &&
    (maxAge === undefined || clock.now() - given.at <= maxAge * 1000 + AGE_MARGIN_MS);

  return {
    get wanted() {
      return wanted;
    },
    demand({ server, since = Number.POSITIVE_INFINITY, acrValues, maxAge }) {
      const stepUp = { acrValues, maxAge };
      if (given !== undefined && isGiven(stepUp)) {
        return since < given.at ? undefined : inVain(server, issuer);
      }
      wanted = stepUp;
      return signInRequired(server, issuer, undefined, { acrValues, maxAge });
    },
    answer() {
      given = wanted && { ...wanted, at: clock.now() };
      wanted = undefined;
    },
    forget() {
      wanted = undefined;
      given = undefined;
    },
  };
}

/** A demand for a sign-in of this very moment can not be met without end. */
const AGE_MARGIN_MS = 30_000;

function inVain(server: string, issuer: string): FittingsError {
  return new FittingsError(
    'AUTH_EXCHANGE_FAILED',
    `"${server}" wants a stronger sign-in than ${issuer} gives.`,
    {
      server,
      delivery: 'rejected',
      hint: 'Ask the administrator how this server can be signed in to.',
      details: { oauthError: 'insufficient_user_authentication', stage: 'identity-provider' },
    },
  );
}
