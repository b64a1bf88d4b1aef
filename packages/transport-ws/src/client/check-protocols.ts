import { FittingsError } from '@mcp-fittings/client-core/transport';

const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/** Throws `CONFIG_INVALID` on a name that may not be offered or is offered twice. */
export function checkProtocols(protocols: readonly string[], server: string | undefined): readonly string[] {
  const bad = protocols.find((name, index) => !TOKEN.test(name) || protocols.indexOf(name) !== index);
  if (bad === undefined) return protocols;
  throw new FittingsError('CONFIG_INVALID', `The sub-protocol ${JSON.stringify(bad)} can't be offered.`, {
    server,
    hint: 'A name has no blanks or commas, and is given once.',
  });
}
