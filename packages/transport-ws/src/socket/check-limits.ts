import { FittingsError } from '@mcp-fittings/client-core/transport';
import type { SocketOptions } from './socket-options.js';

/** `ws` keeps `maxMessageBytes`, its `maxPayload`, in a signed 32-bit number, and takes 0 and what does not fit for "no limit". */
const LARGEST = 2 ** 31 - 1;

/** Throws `CONFIG_INVALID` on a number that would switch a limit off or a timer mad. Undefined is a default. */
export function checkNumbers(
  numbers: Readonly<Record<string, number | undefined>>,
  { min, server }: { readonly min: 0 | 1; readonly server?: string | undefined },
): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value === undefined || (Number.isInteger(value) && value >= min && value <= LARGEST)) continue;
    throw new FittingsError('CONFIG_INVALID', `\`${name}\` can't be ${value}.`, {
      server,
      hint: `Give a whole number from ${min} to ${LARGEST}.`,
    });
  }
}

/** The numbers that both sides of a connection have. */
export function checkSocketNumbers(
  options: SocketOptions & { readonly maxMessageBytes?: number | undefined },
  server?: string,
): void {
  const { maxMessageBytes, maxQueuedBytes, maxPings, closeTimeoutMs, heartbeat = {} } = options;
  checkNumbers({ maxMessageBytes, maxQueuedBytes, maxPings, closeTimeoutMs }, { min: 1, server });
  if (heartbeat === false) return;
  const { intervalMs, timeoutMs } = heartbeat;
  checkNumbers({ 'heartbeat.intervalMs': intervalMs, 'heartbeat.timeoutMs': timeoutMs }, { min: 1, server });
}
