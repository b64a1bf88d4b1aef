import type { Transport } from '@mcp-fittings/client-core/transport';
import type { TransportCapabilities } from './capabilities.js';

/** The part of a test runner that the suite uses; vitest and node:test both fit. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown;
  it(name: string, run: () => Promise<void>): unknown;
}

/** One transport that is not started, and the test server behind it. */
export interface TransportFixture {
  readonly transport: Transport;
  /** Ends the peer abruptly. Without it the suite sends `kit/die`, and the peer's wire needs `die`. */
  readonly killPeer?: (() => Promise<void>) | undefined;
  /** The peer stops reading (SIGSTOP, `socket.pause()`), until {@link resumePeer}. For `backPressure`. */
  readonly pausePeer?: (() => Promise<void>) | undefined;
  readonly resumePeer?: (() => Promise<void>) | undefined;
  /** Frees what the fixture made; runs after every case, also a failed one. */
  readonly teardown: () => Promise<void>;
}

/** What the transport is made with, where the declared capabilities say that it takes it. */
export interface TransportSetupOptions {
  /** Name of the server; every error has it as `server`. For the capability `serverName`. */
  readonly server: string;
  /** Aborted by the cases for the capability `signal`. */
  readonly signal: AbortSignal;
}

export interface TransportSuiteOptions {
  /** Name of the transport, for the report. */
  readonly name: string;
  readonly capabilities: TransportCapabilities;
  /** Makes a new transport and, behind it, a server that hands every message to a peer of `createKitPeer`. */
  readonly setup: (options: TransportSetupOptions) => Promise<TransportFixture>;
  /** Makes a transport whose peer does not exist (no such command, closed port). Without it there is no such case. */
  readonly setupUnreachable?: ((options: TransportSetupOptions) => Promise<TransportFixture>) | undefined;
  /** Milliseconds that any one step may take before its case fails. Default 10 000. */
  readonly deadlineMs?: number | undefined;
  /**
   * Milliseconds after which a run is ended that something a transport left behind keeps alive, once a case about that
   * has failed. What holds it is written to stderr. 0: it is left to hang. Default 30 000.
   */
  readonly hangMs?: number | undefined;
}
