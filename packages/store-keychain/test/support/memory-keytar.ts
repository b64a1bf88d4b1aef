import type { KeytarLike } from '@mcp-fittings/store-keychain';

/** A keychain in memory with keytar's functions, whose items a test can inspect and damage. */
export type MemoryKeytar = {
  // Each as a property, because tests replace them and call what was there.
  -readonly [Name in keyof KeytarLike]: (
    ...args: Parameters<KeytarLike[Name]>
  ) => ReturnType<KeytarLike[Name]>;
} & {
  /** By service and account. */
  readonly items: Map<string, Map<string, string>>;
};

export function memoryKeytar(): MemoryKeytar {
  const items = new Map<string, Map<string, string>>();
  const itemsOf = (service: string): Map<string, string> => {
    const existing = items.get(service) ?? new Map<string, string>();
    items.set(service, existing);
    return existing;
  };
  return {
    items,
    getPassword: async (service, account) => itemsOf(service).get(account) ?? null,
    setPassword: async (service, account, password) => void itemsOf(service).set(account, password),
    deletePassword: async (service, account) => itemsOf(service).delete(account),
  };
}
