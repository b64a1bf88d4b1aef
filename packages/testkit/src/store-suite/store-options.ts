import type { TokenStore } from '@mcp-fittings/client-core/auth';

/** What a store can do, declared as data: it decides which cases exist. */
export interface TokenStoreCapabilities {
  /** A second store can be opened on the same data; the fixture then has `sibling`. Default false. */
  readonly shared?: boolean | undefined;
  /** Another process can open a store on the same data; the fixture then has `module`. Default false. */
  readonly processes?: boolean | undefined;
  /**
   * A suspended process loses its locks; the fixture's stores are set so that it takes a second or two, not more.
   * Needs `processes`, and a system with SIGSTOP. Default false.
   */
  readonly losesLocks?: boolean | undefined;
  /** A value with more bytes of JSON is refused; 0: there is no limit. Default 0. */
  readonly maxValueBytes?: number | undefined;
}

/** How another process opens a store: it imports `module` and calls its export `openStore(argument)`. */
export interface StoreModule {
  readonly module: URL;
  readonly argument: string;
}

/** One empty store. */
export interface TokenStoreFixture {
  readonly store: TokenStore;
  /** Another store on the same data. */
  readonly sibling?: TokenStore | undefined;
  /** JavaScript that gives another process a store on the same data. */
  readonly module?: StoreModule | undefined;
  /** Frees what the fixture made; runs after every case, also a failed one. */
  readonly teardown: () => Promise<void>;
}

export interface TokenStoreSuiteOptions {
  /** Name of the store, for the report. */
  readonly name: string;
  readonly capabilities?: TokenStoreCapabilities | undefined;
  readonly setup: () => Promise<TokenStoreFixture>;
  /** Milliseconds that any one step may take before its case fails. Default 10 000. */
  readonly deadlineMs?: number | undefined;
}
