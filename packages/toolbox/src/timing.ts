/**
 * Waits that end in time: delays, deadlines, signals and lifetimes, all with an injected clock.
 *
 * @packageDocumentation
 */
export {
  abortable,
  aborted,
  backoffDelay,
  isRecent,
  linkSignal,
  settlesWithin,
  sleep,
  systemClock,
  withTimeout,
  type BackoffOptions,
  type LinkedSignal,
  type SleepOptions,
  type TimeoutOptions,
} from './timing/waits.js';
export {
  createLifetime,
  sleepWithin,
  untilEnd,
  type Lifetime,
  type LifetimeSignal,
} from './timing/lifetime.js';
