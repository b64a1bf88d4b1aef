import type { Clock } from '@mcp-fittings/client-core';
import type { OpenCallRouter } from '../callbacks/callback-router.js';
import type { HeldCalls } from '../callbacks/held-calls.js';
import type { Catalog } from '../catalog/catalog.js';
import type { Exposure } from '../catalog/exposure.js';
import type { ReadyServers } from '../catalog/ready-servers.js';
import type { ChangeWatch } from './change-watch.js';
import type { Door } from './door.js';
import type { HeldCallRelay } from './held-call-relay.js';
import type { LogLevels } from './log-levels.js';
import type { Subscriptions } from './subscriptions.js';
import type { SurfaceLimits, SurfaceOptions } from './surface-options.js';

/** Dependencies that all connections of a surface share. */
export interface SurfaceDeps {
  readonly options: SurfaceOptions;
  readonly clock: Clock;
  readonly limits: SurfaceLimits;
  readonly exposure: Exposure;
  readonly catalog: Catalog;
  readonly servers: ReadyServers;
  readonly held: HeldCalls;
  /** Continues calls that other replicas hold. */
  readonly relay: HeldCallRelay | undefined;
  readonly callbacks: OpenCallRouter | undefined;
  readonly door: Door;
  readonly subscriptions: Subscriptions;
  readonly logLevels: LogLevels;
  readonly changes: ChangeWatch;
}
