import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isLogLevel } from '@mcp-fittings/toolbox/logging';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { EngineEvents } from '../contracts/engine.js';

/** Turns a notification of the server into an event of the host. A malformed one is reported and dropped. */
export function dispatchNotification(
  server: string,
  events: EngineEvents,
  method: string,
  params: JSONRPCObject,
): void {
  switch (method) {
    case 'notifications/message':
      return dispatchLog(server, events, params);
    case 'notifications/tools/list_changed':
      return events.listChanged('tools');
    case 'notifications/prompts/list_changed':
      return events.listChanged('prompts');
    case 'notifications/resources/list_changed':
      return events.listChanged('resources');
    case 'notifications/resources/updated': {
      const { uri } = params;
      if (typeof uri !== 'string') return events.error(malformed(server, method));
      return events.resourceUpdated(uri);
    }
    default:
      events.notification?.(method, params);
  }
}

function dispatchLog(server: string, events: EngineEvents, params: JSONRPCObject): void {
  const { level, logger, data } = params;
  if (!isLogLevel(level)) return events.error(malformed(server, 'notifications/message'));
  events.log({ level, logger: typeof logger === 'string' ? logger : undefined, data });
}

function malformed(server: string, method: string): FittingsError {
  const text = `The server "${server}" sent a malformed ${sanitizeText(method)}.`;
  return new FittingsError('PROTOCOL_VIOLATION', text, { server });
}
