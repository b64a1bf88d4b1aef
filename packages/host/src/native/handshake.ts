import { FittingsError, type JSONRPCObject, type Transport } from '@mcp-fittings/client-core';
import { INITIALIZE_REVISIONS, isRecord, META, STATELESS_REVISION } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { EngineConnectOptions, ProtocolEra, ServerIdentity } from '../contracts/engine.js';
import { isEraUnknown, isLocal, isSilence, probeTimeoutMs, tooSlowForEra } from '../engine/era.js';
import { handshakeProblem } from '../engine/handshake-bounds.js';
import { rpcError } from '../engine/request-errors.js';
import { JsonRpcError, type Connection } from './connection.js';

/** Statement of the host about itself in the handshake. */
export interface ClientDeclaration {
  readonly clientInfo: JSONRPCObject;
  readonly capabilities: JSONRPCObject;
}

/** Result of the handshake. */
export interface Handshake {
  readonly protocolVersion: string;
  readonly era: ProtocolEra;
  readonly serverInfo: ServerIdentity | undefined;
  readonly instructions: string | undefined;
  readonly capabilities: JSONRPCObject;
}

export interface HandshakeOptions extends Pick<
  EngineConnectOptions,
  'server' | 'signal' | 'timeoutMs' | 'era'
> {
  readonly transport: Transport;
  readonly connection: Connection;
  readonly client: ClientDeclaration;
}

/**
 * Finds out which era the server speaks, unless an earlier connection has, and performs its handshake. The transport is open.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/lifecycle
 */
export async function shakeHands(options: HandshakeOptions): Promise<Handshake> {
  const { server, era } = options;
  if (era?.kind === 'initialize') return initialize(options, false);
  if (era !== undefined && isDiscovery(era.discover) && supportsStateless(era.discover))
    return adopt(options, era.discover);
  const probe = await probeEra(options);
  if (probe.discovery !== undefined) return adopt(options, probe.discovery);
  try {
    return await initialize(options, probe.isUnanswered);
  } catch (error) {
    if (!probe.isUnanswered || !(error instanceof FittingsError) || !isEraUnknown(error)) throw error;
    // A server that refuses runs by now, so that it can answer the probe.
    const { discovery } = await probeEra(options);
    if (discovery !== undefined) return adopt(options, discovery);
    throw tooSlowForEra(server, error);
  }
}

function supportsStateless({ supportedVersions }: Discovery): boolean {
  return supportedVersions.includes(STATELESS_REVISION);
}

/** Members of `_meta` of each message to a stateless server. */
function envelopeOf({ clientInfo, capabilities }: ClientDeclaration): Readonly<Record<string, unknown>> {
  return {
    [META.protocolVersion]: STATELESS_REVISION,
    [META.clientInfo]: clientInfo,
    [META.clientCapabilities]: capabilities,
  };
}

/** Talks to a stateless server from now on. Nothing is sent. */
function adopt({ transport, connection, client }: HandshakeOptions, discover: Discovery): Handshake {
  connection.envelope = envelopeOf(client);
  transport.setProtocolVersion?.(STATELESS_REVISION);
  const { _meta: meta, instructions, capabilities } = discover;
  return {
    protocolVersion: STATELESS_REVISION,
    era: { kind: 'stateless', discover },
    serverInfo: toIdentity(isRecord(meta) ? meta[META.serverInfo] : undefined),
    instructions: typeof instructions === 'string' ? instructions : undefined,
    capabilities,
  };
}

interface Probe {
  /** Statement of the server about itself, if it is stateless. */
  readonly discovery?: Discovery | undefined;
  /** The server did not answer, so that its era is a guess. */
  readonly isUnanswered: boolean;
}

/** Code with which a server refuses a revision and lists those that it supports. */
const VERSION_REFUSED = -32_022;

/** Asks the server for its era. Any answer but the discovery of a common revision stands for the older era. */
async function probeEra(options: HandshakeOptions): Promise<Probe> {
  let wasRefused = false;
  for (;;) {
    let result: JSONRPCObject;
    try {
      result = await sendProbe(options);
    } catch (error) {
      const answer = answerOf(error);
      if (answer === undefined) {
        if (!isLocal(options.transport) || !isTimeout(error)) throw error;
        return { isUnanswered: true };
      }
      const supported = answer.code === VERSION_REFUSED ? supportedBy(answer.data) : [];
      if (!supported.some((version) => version >= STATELESS_REVISION))
        return { isUnanswered: isSilence(answer.data) };
      if (wasRefused || !supported.includes(STATELESS_REVISION)) throw nothingInCommon(options.server, error);
      // Once more, because a server may have become ready meanwhile.
      wasRefused = true;
      continue;
    }
    return {
      isUnanswered: false,
      discovery: isDiscovery(result) && supportsStateless(result) ? result : undefined,
    };
  }
}

function sendProbe(options: HandshakeOptions): Promise<JSONRPCObject> {
  const { transport, client, timeoutMs: ms } = options;
  const timeoutMs = isLocal(transport) ? probeTimeoutMs(ms) : ms;
  const params = { _meta: { ...envelopeOf(client) } };
  return sendHandshake('server/discover', params, { ...options, timeoutMs });
}

async function initialize(options: HandshakeOptions, isGuess: boolean): Promise<Handshake> {
  const { server, transport, connection, client } = options;
  const [protocolVersion] = INITIALIZE_REVISIONS;
  const params = { protocolVersion, ...client };
  const result = await sendHandshake('initialize', params, options);
  const { protocolVersion: chosen, capabilities, serverInfo, instructions } = result;
  if (typeof chosen !== 'string' || !isRecord(capabilities)) {
    const text = `The server "${server}" answered initialize without "protocolVersion" or "capabilities".`;
    throw new FittingsError('PROTOCOL_VIOLATION', text, { server, delivery: 'unknown' });
  }
  if (!INITIALIZE_REVISIONS.some((revision) => revision === chosen)) {
    const shown = sanitizeText(chosen, { maxLength: 40 });
    const text = `The server "${server}" chose the protocol revision ${shown}, which is not supported.`;
    throw new FittingsError('VERSION_UNSUPPORTED', text, { server, delivery: 'unknown' });
  }
  transport.setProtocolVersion?.(chosen);
  await connection.notify('notifications/initialized', {});
  return {
    protocolVersion: chosen,
    era: { kind: 'initialize', ...(isGuess && { isGuess }) },
    serverInfo: toIdentity(serverInfo),
    instructions: typeof instructions === 'string' ? instructions : undefined,
    capabilities,
  };
}

async function sendHandshake(
  method: string,
  params: JSONRPCObject,
  { server, transport, connection, signal, timeoutMs }: HandshakeOptions,
): Promise<JSONRPCObject> {
  const what = 'the handshake';
  const result = await connection.request(method, params, { signal, timeoutMs, what, isHandshake: true });
  const problem = handshakeProblem(method, result);
  if (problem === undefined) return result;
  throw rpcError({ server, transport, what }, problem.code, problem.message, undefined);
}

/** Returns the error response that is the cause of an error; `undefined` if the server did not answer. */
function answerOf(error: unknown): { readonly code: number; readonly data: unknown } | undefined {
  return error instanceof FittingsError && error.cause instanceof JsonRpcError ? error.cause : undefined;
}

function isTimeout(error: unknown): boolean {
  return error instanceof FittingsError && error.code === 'TIMEOUT';
}

function supportedBy(data: unknown): readonly string[] {
  const supported = isRecord(data) ? data['supported'] : undefined;
  return Array.isArray(supported) ? supported.filter((version) => typeof version === 'string') : [];
}

function nothingInCommon(server: string, cause: unknown): FittingsError {
  const detail = cause instanceof Error ? `: ${cause.message}` : '';
  const text = `The server "${server}" and this client have no protocol revision in common${detail}`;
  return new FittingsError('VERSION_UNSUPPORTED', text, { server, cause, delivery: 'rejected' });
}

function toIdentity(info: unknown): ServerIdentity | undefined {
  if (!isRecord(info)) return undefined;
  const { name, version, title } = info;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  return { name, version, title: typeof title === 'string' ? title : undefined };
}

/** A result of `server/discover`. */
interface Discovery extends JSONRPCObject {
  readonly supportedVersions: readonly string[];
  readonly capabilities: JSONRPCObject;
}

function isDiscovery(value: unknown): value is Discovery {
  if (!isRecord(value) || !isRecord(value['capabilities'])) return false;
  const { supportedVersions: versions } = value;
  return Array.isArray(versions) && versions.every((version) => typeof version === 'string');
}
