/** For authors of a transport: the contract, a life cycle to build on, framing, and a schema for config entries. */
export { BaseTransport, type BaseTransportOptions } from './base/base-transport.js';
export type { TransportController } from './base/transport-controller.js';
export { afterTurn } from './base/after-turn.js';
export {
  createIntake,
  type Intake,
  type IntakeOptions,
  type PacedSource,
  type Pausable,
} from './base/intake.js';

export { TurnBudget, type TurnBudgetOptions } from './base/turn-budget.js';
export type { Transport, TransportDescription, TransportSendOptions } from './contracts/transport.js';
export type { TransportDeps, TransportPlugin } from './contracts/transport-plugin.js';
export type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCObject,
  JSONRPCRequest,
  JSONRPCResponse,
  JSONRPCResultResponse,
  RequestId,
} from './contracts/json-rpc.js';
export { isOlderEndpoint } from './errors/older-endpoint.js';
export { TransportError } from './errors/transport-error.js';
export {
  isErrorResponse,
  isMessage,
  isNotification,
  isRequest,
  isRequestId,
  isResponse,
  isResultResponse,
  shapeOf,
  type MessageShape,
} from './jsonrpc/classify.js';
export { RPC_CODES } from './jsonrpc/error-codes.js';
export { entrySchema, type EntryOf, type EntrySchema } from './schema/entry-schema.js';
export { readEntry, type ReadEntryOptions } from './schema/read-entry.js';
export {
  count,
  described,
  eitherOf,
  flag,
  listOf,
  mapOf,
  oneOf,
  required,
  text,
  type Field,
} from './schema/fields.js';
export { createBoundedText, type BoundedText } from './tools/bounded-text.js';
export { createByteParts, type ByteParts } from './tools/byte-parts.js';
export { concatBytes, createUtf8Decoder } from './tools/bytes.js';
export {
  createLineReader,
  type Line,
  type LineReader,
  type LineReaderOptions,
  type RefusedLine,
} from './tools/line-framing.js';
