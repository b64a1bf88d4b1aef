import type { Logger } from '@mcp-fittings/client-core';
import type { Output } from './output.js';
import { jsonText, printable, printableBlock } from './printable.js';

type Level = keyof Logger;

/** Prints log messages of these levels as notes for the user, and all others as notes of `--verbose`. */
export function noteLogger(output: Output, noted: readonly Level[]): Logger {
  const log =
    (level: Level) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      if (noted.includes(level)) return output.note(printableBlock(message, 2_000));
      const pairs = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
      output.detail([output.noteStyle.dim(level), printable(message, 2_000), ...pairs].join(' '));
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

function textOf(value: unknown): string {
  if (value instanceof Error) return printable(value.message);
  return printable(typeof value === 'string' ? value : jsonText(value));
}
