import {
  count,
  described,
  eitherOf,
  FittingsError,
  listOf,
  mapOf,
  required,
  text,
  type EntryOf,
} from '@mcp-fittings/client-core/transport';
import type { ClientCertificate } from './tls-options.js';

/** Members of a configuration entry that say how its server is reached: the same for every remote transport. */
export const remoteFields = {
  url: required(described('Where the server listens', text({ minLength: 1 }))),
  headers: described('Sent with every request to the server, and to nobody else', mapOf(text())),
  proxy: described('`env` (default), `none`, or the URL of a proxy', text({ minLength: 1 })),
  ca: described(
    'Authorities to trust besides the usual ones: PEM or PEM files',
    eitherOf(text(), listOf(text())),
  ),
  clientCertificate: described('`cert` and `key`, each PEM or a PEM file, and `passphrase`', mapOf(text())),
  connectTimeout: described('Milliseconds to wait for a connection', count({ min: 1 })),
} as const;

/** The client certificate of an entry. Throws `CONFIG_INVALID` when it is incomplete. */
export function clientCertificateOf(
  member: EntryOf<typeof remoteFields>['clientCertificate'],
  server: string,
): ClientCertificate | undefined {
  if (member === undefined) return undefined;
  const { cert, key, passphrase } = member;
  if (cert !== undefined && key !== undefined) return { cert, key, passphrase };
  throw new FittingsError('CONFIG_INVALID', '`clientCertificate` needs both `cert` and `key`.', { server });
}
