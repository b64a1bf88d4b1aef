import type { Logger } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { CommandDeps } from '../command-deps.js';

/** Prints warnings and errors; everything else only with `--verbose`. */
export function noteLogger({ output }: CommandDeps): Logger {
  const note = (message: string): void =>
    output.note(sanitizeText(message, { maxLength: 2000, multiline: true }));
  const detail = (message: string): void => output.detail(sanitizeText(message, { maxLength: 2000 }));
  return { debug: detail, info: detail, warn: note, error: note };
}
