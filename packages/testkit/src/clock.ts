/** A clock that stands still until a test advances it. */
export { createManualClock, type ManualClock, type ManualClockOptions } from './clock/manual-clock.js';
