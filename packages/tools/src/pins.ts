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
} from './pins/tool-pins.js';
export type { PinChange, PinComparison, PinnedServer } from './pins/compare-pins.js';
export type { PinnedDefinition } from './pins/definition.js';
export {
  describePinChange,
  summarizePinChange,
  type DescribePinChangeOptions,
} from './pins/describe-change.js';
export type { PinRecord, ToolPin } from './pins/pin-record.js';
export {
  memoryPinStore,
  type MemoryPinStore,
  type SerializedToolPins,
  type ToolPinStore,
} from './pins/pin-store.js';
