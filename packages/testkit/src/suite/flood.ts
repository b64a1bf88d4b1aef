/** How many messages are sent to a peer that does not read. In all more than any pipe or socket holds, and less than a sensible limit. */
export const FLOOD_MESSAGES = 16;
/** What makes each of them large: a MiB of text. */
export const floodText = (): string => 'x'.repeat(1024 * 1024);
