import type { EngineCallbacks } from '../../contracts/engine.js';

type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
/** What can be written as JSON. */
export interface JsonObject {
  [key: string]: JsonValue;
}

export interface SdkOptions {
  /** How the host calls itself towards servers. */
  readonly name: string;
  readonly version: string;
  /** For people; default: `name`. */
  readonly title?: string | undefined;
  /** Extensions of the protocol that the host supports, by their id, each with its settings. */
  readonly extensions?: Readonly<Record<string, JsonObject>> | undefined;
}

interface ClientCapabilities {
  elicitation?: { form?: Record<string, never>; url?: Record<string, never> };
  sampling?: Record<string, never>;
  roots?: { listChanged: boolean };
  extensions?: Record<string, JsonObject>;
}

/** What a client declares: only what the host has a callback for, and the extensions that its owner named. */
export function clientCapabilities(options: SdkOptions, callbacks: EngineCallbacks): ClientCapabilities {
  const { elicit, elicitationModes: modes = ['form', 'url'] } = callbacks;
  const elicitation = {
    ...(modes.includes('form') && { form: {} }),
    ...(modes.includes('url') && { url: {} }),
  };
  return {
    ...(elicit !== undefined && modes.length > 0 && { elicitation }),
    ...(callbacks.sample !== undefined && { sampling: {} }),
    ...(callbacks.roots !== undefined && { roots: { listChanged: true } }),
    ...(options.extensions !== undefined && { extensions: { ...options.extensions } }),
  };
}

/** The SDKs' own type, written out so that this file needs neither of them. */
type ValidatorVerdict<T> =
  { valid: true; data: T; errorMessage: undefined } | { valid: false; data: undefined; errorMessage: string };

/**
 * Put in the place of the SDK's own validator: compiling a hostile schema, or matching a hostile `pattern`, would stall
 * the process. `@mcp-fittings/tools` validates structured content under a budget.
 */
export const acceptAnything = {
  getValidator<T>() {
    return (input: unknown): ValidatorVerdict<T> => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type is the caller's wish in the SDK's interface
      const data = input as T;
      return { valid: true, data, errorMessage: undefined };
    };
  },
};
