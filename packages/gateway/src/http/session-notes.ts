import type { JSONRPCMessage } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { SessionRecord } from '../contracts/session-store.js';

/** Returns the record with what the messages of the client change in the session; the same object if they change nothing. */
export function noteMessages(record: SessionRecord, messages: readonly JSONRPCMessage[]): SessionRecord {
  let noted = record;
  for (const message of messages) {
    if (!('method' in message)) continue;
    const { method, params } = message;
    const uri = isRecord(params) ? params['uri'] : undefined;
    const level = isRecord(params) ? params['level'] : undefined;
    const { subscriptions } = noted;
    if (method === 'logging/setLevel' && typeof level === 'string') noted = { ...noted, logLevel: level };
    if (typeof uri !== 'string') continue;
    if (method === 'resources/subscribe' && !subscriptions.includes(uri)) {
      noted = { ...noted, subscriptions: [...subscriptions, uri].slice(-MOST_SUBSCRIPTIONS) };
    }
    if (method === 'resources/unsubscribe') {
      noted = { ...noted, subscriptions: subscriptions.filter((each) => each !== uri) };
    }
  }
  return noted;
}

/** A record is written to a store with every change, so it must not grow without limit. */
const MOST_SUBSCRIPTIONS = 1000;
