import type { Logger } from '@mcp-fittings/client-core';

/** Returns a logger that passes everything on and never throws: a disk that is full must not end what is being logged. */
export function guardLogger(logger: Logger | undefined): Logger | undefined {
  if (logger === undefined) return undefined;
  const guarded =
    (level: keyof Logger): Logger['debug'] =>
    (...entry) => {
      try {
        // A method of a program may be asynchronous, which its type allows.
        const written: unknown = logger[level](...entry);
        if (written instanceof Promise) written.catch(() => undefined);
      } catch {
        // There is nowhere to report it.
      }
    };
  return { debug: guarded('debug'), info: guarded('info'), warn: guarded('warn'), error: guarded('error') };
}
