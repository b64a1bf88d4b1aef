import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import type { EngineCallbacks } from '../../contracts/engine.js';

/** A value that JSON can represent. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
/** An object that JSON can represent. */
export interface JsonObject {
  /** Any member. */
  [key: string]: JsonValue;
}

/** Options of the engines of this package. */
export interface SdkOptions {
  /** Name of your program, as servers see it. */
  readonly name: string;
  /** Version of your program, as servers see it. */
  readonly version: string;
  /** Title of your program, for display by servers. Default: `name`. */
  readonly title?: string | undefined;
  /**
   * Protocol extensions to declare to servers: settings by the id of the extension. Default: none.
   */
  readonly extensions?: Readonly<Record<string, JsonObject>> | undefined;
}

/** Throws `CONFIG_INVALID` if `name` or `version` is missing: the handshake needs them. */
export function checkSdkOptions(options: unknown, entryPoint: string, what = 'sdk'): void {
  const given = isRecord(options) ? options : {};
  const missing = ['name', 'version'].filter((member) => typeof given[member] !== 'string');
  if (missing.length === 0) return;
  throw new FittingsError(
    'CONFIG_INVALID',
    `${what}() of "${entryPoint}" requires the name and version of your program as strings; missing: ${missing.join(', ')}.`,
    {
      hint: `Pass them, for example: ${what}({ name: 'my-agent', version: '1.0.0' }).`,
      delivery: 'not-sent',
    },
  );
}

interface ClientCapabilities {
  elicitation?: { form?: Record<string, never>; url?: Record<string, never> };
  sampling?: Record<string, never>;
  roots?: { listChanged: boolean };
  extensions?: Record<string, JsonObject>;
}

/** Returns the capabilities to declare: those that the host has a callback for, and the extensions of the options. */
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

/** The SDKs' own type, repeated here so that this file imports neither of them. */
type ValidatorVerdict<T> =
  { valid: true; data: T; errorMessage: undefined } | { valid: false; data: undefined; errorMessage: string };

/**
 * Replaces the SDK's own validator, because compiling a hostile schema, or matching a hostile `pattern`, would block the
 * process. `@mcp-fittings/tools` validates structured content within a budget.
 */
export const acceptAnything = {
  getValidator<T>() {
    return (input: unknown): ValidatorVerdict<T> => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK's interface lets the caller choose the type
      const data = input as T;
      return { valid: true, data, errorMessage: undefined };
    };
  },
};
