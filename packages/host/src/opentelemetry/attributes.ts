import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { TraceEvent } from '../tracing.js';
import type { OpenTelemetryAttributes } from './api.js';

/**
 * Attributes and names by the conventions of OpenTelemetry for MCP.
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */

/** Methods whose target is the URI of a resource. */
const ABOUT_RESOURCES: ReadonlySet<string> = new Set([
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
]);
/** Most characters of a server's error message in the status of a span. */
const STATUS_TEXT = 500;

/** Returns what the operation is about. It has few values, so that it also belongs to the metrics. */
export function operationAttributes(method: string, target: string | undefined): OpenTelemetryAttributes {
  return {
    'mcp.method.name': method,
    ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
    ...(target !== undefined && method === 'tools/call' && { 'gen_ai.tool.name': target }),
    ...(target !== undefined && method === 'prompts/get' && { 'gen_ai.prompt.name': target }),
  };
}

/** Returns the attributes that only a span has, because they differ for each request, or each user of this package. */
export function spanAttributes({
  server,
  method = '',
  target,
  requestId,
  connection,
}: TraceEvent): OpenTelemetryAttributes {
  const session = connection?.sessionId;
  return {
    'mcp_fittings.server': server,
    ...(requestId !== undefined && { 'jsonrpc.request.id': String(requestId) }),
    ...(target !== undefined && ABOUT_RESOURCES.has(method) && { 'mcp.resource.uri': target }),
    ...(session !== undefined && { 'mcp.session.id': session }),
  };
}

/** A URI would make too many names. */
export function spanName(method: string, target: string | undefined): string {
  return target !== undefined && (method === 'tools/call' || method === 'prompts/get')
    ? `${method} ${target}`
    : method;
}

/** Returns the attributes of a connection. Call it when the operation ends, because some are known only then. */
export function connectionAttributes(connection: TraceEvent['connection']): OpenTelemetryAttributes {
  if (connection === undefined) return {};
  const { protocolVersion, description } = connection;
  return {
    ...(protocolVersion !== undefined && { 'mcp.protocol.version': protocolVersion }),
    ...(connection.type === 'stdio' && { 'network.transport': 'pipe' }),
    ...remoteAttributes(description['url']),
  };
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 };

function remoteAttributes(given: unknown): OpenTelemetryAttributes {
  if (typeof given !== 'string' || !URL.canParse(given)) return {};
  const { protocol, hostname, port, pathname } = new URL(given);
  if (protocol === 'unix:' || protocol === 'pipe:')
    return { 'network.transport': protocol.slice(0, -1), 'server.address': pathname };
  const usual = PORTS[protocol];
  if (usual === undefined) return {};
  return {
    'network.transport': 'tcp',
    'network.protocol.name': protocol.startsWith('ws') ? 'websocket' : 'http',
    'server.address': hostname.replace(/^\[(.*)\]$/, '$1'),
    'server.port': port === '' ? usual : Number(port),
  };
}

/** The failure of an operation. */
export interface Failure {
  readonly attributes: OpenTelemetryAttributes;
  /** Attributes that only a span has. */
  readonly delivery?: string | undefined;
  readonly message?: string | undefined;
}

/** Returns how a request failed; `undefined` if it succeeded. */
export function failureOf({ response, givenUp }: TraceEvent, error: unknown): Failure | undefined {
  if (response?.error !== undefined) {
    const { code, message } = response.error;
    return {
      attributes: { 'error.type': String(code), 'rpc.response.status_code': String(code) },
      message: sanitizeText(message, { maxLength: STATUS_TEXT }),
    };
  }
  if (response?.isToolError === true) return { attributes: { 'error.type': 'tool_error' } };
  if (givenUp !== undefined) return { attributes: { 'error.type': givenUp }, delivery: 'unknown' };
  return error === undefined ? undefined : failureFrom(error);
}

/** Returns how an operation failed that rejected with this error. */
export function failureFrom(error: unknown): Failure {
  if (!(error instanceof FittingsError)) return { attributes: { 'error.type': '_OTHER' } };
  const { code, delivery, message, details } = error;
  const status = details['rpcCode'];
  if (typeof status !== 'number') return { attributes: { 'error.type': code }, delivery, message };
  return {
    attributes: { 'error.type': String(status), 'rpc.response.status_code': String(status) },
    delivery,
    message,
  };
}
