import type { Transport } from '@mcp-fittings/client-core';
import type { TransportCapabilities } from './capabilities.js';

/** The functions of a test runner that a suite needs. Those of vitest and of `node:test` work. */
export interface TestRunner {
  /** Defines a group of tests. */
  describe(name: string, define: () => void): unknown;
  /** Defines a test. */
  it(name: string, run: () => Promise<void>): unknown;
}

/** A transport that is not started, and its test server. */
export interface TransportFixture {
  /** The transport under test. */
  readonly transport: Transport;
  /** Ends the peer abruptly. Default: the suite sends `kit/die`, and the wire of the peer needs `die`. */
  readonly killPeer?: (() => Promise<void>) | undefined;
  /** Makes the peer stop reading (SIGSTOP, `socket.pause()`) until {@link resumePeer}. Required for `backPressure`. */
  readonly pausePeer?: (() => Promise<void>) | undefined;
  /** Makes the peer read again. Required for `backPressure`. */
  readonly resumePeer?: (() => Promise<void>) | undefined;
  /** Frees the resources of the fixture. Called after every case, also a failed one. */
  readonly teardown: () => Promise<void>;
}

/** Options for the transport, if its capabilities declare that it accepts them. */
export interface TransportSetupOptions {
  /** Name of the server, which every error has as `server`. For the capability `serverName`. */
  readonly server: string;
  /** Aborted by some cases. For the capability `signal`. */
  readonly signal: AbortSignal;
}

/** Options of {@link transportSuite}. */
export interface TransportSuiteOptions {
  /** Name of the transport, for the test report. */
  readonly name: string;
  /** Features of the transport. They decide which cases exist. */
  readonly capabilities: TransportCapabilities;
  /** Creates a transport and a server that passes every message to a peer of `createKitPeer()`. Called for every case. */
  readonly setup: (options: TransportSetupOptions) => Promise<TransportFixture>;
  /** Creates a transport whose peer does not exist (an unknown command, a closed port). Without it there is no such case. */
  readonly setupUnreachable?: ((options: TransportSetupOptions) => Promise<TransportFixture>) | undefined;
  /** Milliseconds that each step of a case may take. Default 10 000. */
  readonly deadlineMs?: number | undefined;
  /**
   * Milliseconds after which the test run is ended if a leaked resource keeps it alive, once a case about leaks has failed. What
   * keeps it alive is written to stderr. 0 lets the run hang. Default 30 000.
   */
  readonly hangMs?: number | undefined;
}
