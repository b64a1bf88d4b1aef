import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Caller } from './protocol.js';

/**
 * On Linux both shipped drivers speak D-Bus. Where there is no session bus, as in most containers, that is known
 * without a process being started for it.
 */
export function needingSessionBus(caller: Caller): Caller {
  if (process.platform !== 'linux') return caller;
  return {
    ...caller,
    call(call) {
      if (hasSessionBus()) return caller.call(call);
      return Promise.resolve({
        ok: false,
        failure: { kind: 'driver', message: 'There is no D-Bus session' },
      });
    },
  };
}

/** Where libdbus and GDBus look for it; the last is their way to start one on a desktop. */
function hasSessionBus(): boolean {
  const {
    DBUS_SESSION_BUS_ADDRESS: address = '',
    XDG_RUNTIME_DIR: runtime = '',
    DISPLAY: display = '',
  } = process.env;
  return address !== '' || (runtime !== '' && existsSync(join(runtime, 'bus'))) || display !== '';
}
