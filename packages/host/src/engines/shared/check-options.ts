import { FittingsError, isRecord } from '@mcp-fittings/client-core';

/** Throws `CONFIG_INVALID` unless the host says who it is: each SDK needs that for the handshake. */
export function checkSdkOptions(options: unknown, entryPoint: string): void {
  const given = isRecord(options) ? options : {};
  const missing = ['name', 'version'].filter((member) => typeof given[member] !== 'string');
  if (missing.length === 0) return;
  throw new FittingsError(
    'CONFIG_INVALID',
    `sdk() of "${entryPoint}" needs the name and the version of your program, as text; missing: ${missing.join(', ')}.`,
    { hint: "Servers are told them: sdk({ name: 'my-agent', version: '1.0.0' }).", delivery: 'not-sent' },
  );
}
