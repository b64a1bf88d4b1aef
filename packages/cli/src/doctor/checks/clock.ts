import type { Clock } from '@mcp-fittings/client-core';
import type { ResponseHead } from '@mcp-fittings/http-client';
import type { CheckResult } from '../diagnosis.js';
import { checked, finding } from '../finding.js';

/** Tokens are refreshed that long before their end, and signatures tolerate about as much. */
const TOLERATED_MS = 120_000;
const MINUTE_MS = 60_000;

/** Compares the clock of this machine with the server's; undefined when the server does not tell the time. */
export function checkClock(head: ResponseHead, clock: Clock, works: boolean): CheckResult | undefined {
  const told = Date.parse(head.header('date') ?? '');
  if (Number.isNaN(told)) return undefined;
  const difference = clock.now() - told;
  const distance = Math.abs(difference);
  if (distance <= TOLERATED_MS) return checked('clock', `${Math.round(distance / 1000)} s apart`);
  const minutes = Math.round(distance / MINUTE_MS);
  const message = `The clock of this machine is ${minutes} minutes ${difference > 0 ? 'ahead of' : 'behind'} that of the server.`;
  return checked('clock', '', [finding('CLOCK_WRONG', message, { severity: works ? 'warning' : 'error' })]);
}
