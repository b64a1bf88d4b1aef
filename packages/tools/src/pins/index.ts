/**
 * Pins of tools: trust on first use, and what changed since. For `pins` of `createTools`.
 * @packageDocumentation
 */
export {
  createToolPins,
  pinKey,
  type PinMode,
  type PinReview,
  type ToolPins,
  type ToolPinsOptions,
} from './tool-pins.js';
export type { PinChange, PinComparison, PinnedServer } from './compare-pins.js';
export type { PinnedDefinition } from './definition.js';
export { describePinChange, summarizePinChange, type DescribePinChangeOptions } from './describe-change.js';
export type { PinRecord, ToolPin } from './pin-record.js';
export {
  memoryPinStore,
  type MemoryPinStore,
  type SerializedToolPins,
  type ToolPinStore,
} from './pin-store.js';
