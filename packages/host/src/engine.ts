/** For engines of other packages: the contract, and what engines of the host have in common. */
export type {
  Engine,
  EngineCallbacks,
  EngineConnectOptions,
  EngineEvents,
  EngineRequestInfo,
  EngineRequestOptions,
  EngineSession,
  ProtocolEra,
} from './contracts/engine.js';
export { clientCapabilities } from './engine/client-capabilities.js';
export { elicited, toElicitationRequest } from './engine/elicitation.js';
export { isEraUnknown, isLocal, isSilence, probeTimeoutMs, tooSlowForEra } from './engine/era.js';
export { handshakeProblem } from './engine/handshake-bounds.js';
export { headerAnnotationProblem } from './engine/header-annotations.js';
export { Listening } from './engine/listening.js';
export {
  connectionError,
  otherError,
  rpcError,
  timeoutError,
  withDelivery,
  type FailedRequest,
} from './engine/request-errors.js';
export { readList } from './engine/list-pages.js';
export { native } from './native/engine.js';
