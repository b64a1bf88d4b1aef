/** Where one event stream stands, over all the connections that carried it. Event ids belong to one stream. */
export interface StreamCursor {
  lastEventId: string | undefined;
  /** The latest `retry:`, milliseconds. */
  retryMs: number | undefined;
  /** The present connection brought an event. */
  progressed: boolean;
}

export function createCursor(lastEventId?: string): StreamCursor {
  return { lastEventId, retryMs: undefined, progressed: false };
}
