import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';

/** A full log is renamed, and replaces the one before: at most twice this remains, in bytes. */
const MAX_BYTES = 256 * 1024;
const MAX_LINE = 2000;

/** Writes a log into a file of a private folder. A disk that is full costs the log, not the process. */
export function createLogFile(folder: string): Logger {
  const path = join(folder, 'shared.log');
  const log =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const pairs = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      const line = sanitizeText([new Date().toISOString(), level, message, ...pairs].join(' '), {
        maxLength: MAX_LINE,
      });
      try {
        const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
        if (size > MAX_BYTES) renameSync(path, `${path}.old`);
        appendFileSync(path, `${line}\n`, { mode: 0o600 });
      } catch {
        // It has nowhere to go.
      }
    };
  return { debug: () => undefined, info: log('info'), warn: log('warn'), error: log('error') };
}
