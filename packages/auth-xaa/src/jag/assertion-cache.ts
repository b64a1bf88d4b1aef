import type { Clock } from '@mcp-fittings/client-core';
import type { Assertion } from './assertion.js';

/** Assertions that can still be shown, in memory only. */
export interface AssertionCache {
  get(key: string, session: string | undefined): Assertion | undefined;
  put(key: string, assertion: Assertion): void;
  drop(key: string): void;
  clear(): void;
}

/** One that ends so soon is not worth a request. */
const MARGIN_MS = 10_000;

export function createAssertionCache(clock: Clock): AssertionCache {
  const kept = new Map<string, Assertion>();
  return {
    get(key, session) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      if (found.session === session && clock.now() < found.expiresAt - MARGIN_MS) return found;
      kept.delete(key);
      return undefined;
    },
    put(key, assertion) {
      kept.set(key, assertion);
    },
    drop(key) {
      kept.delete(key);
    },
    clear() {
      kept.clear();
    },
  };
}
