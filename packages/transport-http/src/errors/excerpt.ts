import type { Redactor } from '@mcp-fittings/client-core';

/** Takes our own secrets out of a text. */
export type Redact = Redactor;

/** The beginning of what a server said, fit to show. */
export { replyExcerpt as excerpt } from '@mcp-fittings/net-policy';
