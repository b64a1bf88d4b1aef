import type { TokenStore } from '@mcp-fittings/client-core';

/** Features of a token store. They decide which cases exist. */
export interface TokenStoreCapabilities {
  /** A second store can be opened on the same data. The fixture needs `sibling`. Default false. */
  readonly shared?: boolean | undefined;
  /** Another process can open a store on the same data. The fixture needs `module`. Default false. */
  readonly processes?: boolean | undefined;
  /**
   * A suspended process loses its locks. Configure the stores of the fixture so that it takes one or two seconds. Needs
   * `processes`, and a system with SIGSTOP. Default false.
   */
  readonly losesLocks?: boolean | undefined;
  /** Largest value in bytes of JSON; a larger one is rejected. 0 means no limit. Default 0. */
  readonly maxValueBytes?: number | undefined;
}

/** An empty store. */
export interface TokenStoreFixture {
  /** The store under test. */
  readonly store: TokenStore;
  /** A second store on the same data. */
  readonly sibling?: TokenStore | undefined;
  /** Lets another process open a store on the same data: it imports `module` and calls its export `openStore(argument)`. */
  readonly module?:
    | {
        /** URL of a JavaScript module. */
        readonly module: URL;
        /** The argument, such as a path. */
        readonly argument: string;
      }
    | undefined;
  /** Frees the resources of the fixture. Called after every case, also a failed one. */
  readonly teardown: () => Promise<void>;
}

/** Options of {@link tokenStoreSuite}. */
export interface TokenStoreSuiteOptions {
  /** Name of the store, for the test report. */
  readonly name: string;
  /** Features of the store. Default: none. */
  readonly capabilities?: TokenStoreCapabilities | undefined;
  /** Creates an empty store. Called for every case. */
  readonly setup: () => Promise<TokenStoreFixture>;
  /** Milliseconds that each step of a case may take. Default 10 000. */
  readonly deadlineMs?: number | undefined;
}
