import { contentLengthFraming } from './content-length-framing.js';
import type { Framing } from './framing.js';
import { newlineFraming } from './newline-framing.js';

/** `newline`: one message a line. `content-length`: an HTTP-like header before each message, as in LSP. */
export type FramingName = 'newline' | 'content-length';

export const FRAMINGS: Readonly<Record<FramingName, Framing>> = {
  newline: newlineFraming,
  'content-length': contentLengthFraming,
};
