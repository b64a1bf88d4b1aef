import type { Clock } from '@mcp-fittings/client-core';
import { isKeytarLike, type DriverSpec, type KeychainDriver } from '../drivers/driver-spec.js';
import { loadDriver } from '../drivers/load-driver.js';
import { createHelperCaller } from './helper-caller.js';
import { createInProcessCaller } from './in-process-caller.js';
import { onceMore } from './once-more.js';
import { notAskingTwice } from './patient-caller.js';
import type { Caller } from './protocol.js';
import { needingSessionBus } from './session-bus.js';

export interface CallerOptions {
  readonly driver: KeychainDriver;
  readonly isolation: 'process' | 'in-process';
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly execPath: string | undefined;
}

/** Whoever carries calls out for this driver: a helper process, or this one where the host or the driver wants it. */
export function createCaller({ driver, isolation, timeoutMs, clock, execPath }: CallerOptions): Caller {
  if (isKeytarLike(driver)) {
    return onceMore(createInProcessCaller({ load: async () => driver, timeoutMs, clock }));
  }
  const spec: DriverSpec = typeof driver === 'string' ? driver : { module: String(driver.module) };
  const caller =
    isolation === 'process'
      ? createHelperCaller({ driver: spec, timeoutMs, clock, execPath })
      : createInProcessCaller({ load: () => loadDriver(spec), timeoutMs, clock });
  const patient = notAskingTwice(onceMore(caller), timeoutMs, clock);
  return typeof spec === 'string' ? needingSessionBus(patient) : patient;
}
