/**
 * Pins of tools: trust on first use, and what changed since. For `pins` of `createTools`.
 * @packageDocumentation
 */
export { createToolPins, type PinReview, type ToolPins, type ToolPinsOptions } from './pins/tool-pins.js';
export type { PinChange, PinnedServer } from './pins/compare-pins.js';
export { describePinChange } from './pins/describe-change.js';
export type { HostPins, PinQuestion } from './pins/pin-gate.js';
export type { PinRecord } from './pins/pin-record.js';
export { memoryPinStore, type ToolPinStore } from './pins/pin-store.js';
