import type { HostCache } from '@mcp-fittings/client-core';

export function memoryCache(): HostCache & { readonly kept: Map<string, unknown> } {
  const kept = new Map<string, unknown>();
  return {
    kept,
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
  };
}

/** Values are text, as in a file. */
export function textCache(): HostCache & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get: async (key) => JSON.parse(kept.get(key) ?? 'null') as unknown,
    set: async (key, value) => void kept.set(key, JSON.stringify(value)),
    delete: async (key) => void kept.delete(key),
  };
}
