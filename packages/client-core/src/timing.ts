/** Waiting: a clock that tests can replace, and what ends a wait early. */
export type { Clock } from './contracts/clock.js';
export { abortable } from './timing/abortable.js';
export { aborted } from './timing/aborted.js';
export { linkSignal, type LinkedSignal } from './timing/link-signal.js';
export { settlesWithin } from './timing/settles-within.js';
export { sleep, type SleepOptions } from './timing/sleep.js';
export { systemClock } from './timing/system-clock.js';
export { withTimeout, type TimeoutOptions } from './timing/with-timeout.js';
