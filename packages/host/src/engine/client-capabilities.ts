import type { JSONRPCObject } from '@mcp-fittings/client-core';
import type { EngineConnectOptions } from '../contracts/engine.js';

/** Returns the capabilities to declare: those that the host has a callback for, and its extensions. */
export function clientCapabilities({
  client,
  callbacks,
}: Pick<EngineConnectOptions, 'client' | 'callbacks'>): {
  /** Modes in which the user can be asked. */
  elicitation?: { form?: Record<string, never>; url?: Record<string, never> };
  /** Present if the client samples from a model. */
  sampling?: Record<string, never>;
  /** Present if the client has roots. */
  roots?: { listChanged: boolean };
  /** Settings by the id of the extension. */
  extensions?: Record<string, JSONRPCObject>;
} {
  const { elicit, elicitationModes: modes = ['form', 'url'] } = callbacks;
  const elicitation = {
    ...(modes.includes('form') && { form: {} }),
    ...(modes.includes('url') && { url: {} }),
  };
  return {
    ...(elicit !== undefined && modes.length > 0 && { elicitation }),
    ...(callbacks.sample !== undefined && { sampling: {} }),
    ...(callbacks.roots !== undefined && { roots: { listChanged: true } }),
    ...(client.extensions !== undefined && { extensions: { ...client.extensions } }),
  };
}
