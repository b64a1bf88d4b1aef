import { readFile } from 'node:fs/promises';

/** Settings of a replica, all from environment variables. The compose file and the Kubernetes manifest set the same ones. */
export interface Settings {
  /** Port of clients. */
  readonly port: number;
  /** Port of health, readiness and metrics, which clients must not reach. */
  readonly operationsPort: number;
  /** Address to listen on. */
  readonly host: string;
  /** URL of the gateway as clients know it, without a path. */
  readonly publicUrl: string;
  /** Authorization server of the people who use the gateway. */
  readonly issuer: string;
  readonly redisUrl: string;
  /** 32 bytes, with which everything in Redis is encrypted. */
  readonly encryptionKey: Buffer;
  /** The servers behind the gateway, as in `mcpServers` of a configuration file. */
  readonly servers: Readonly<Record<string, Record<string, unknown>>>;
  /** Requests that one person may send to one server in a minute. */
  readonly requestsPerMinute: number;
  /** Most connections to servers, one for each person and server. */
  readonly maxConnections: number;
}

/** Variables without a default. */
const REQUIRED = ['PUBLIC_URL', 'ISSUER', 'REDIS_URL', 'ENCRYPTION_KEY', 'SERVERS_FILE'] as const;

/** Reads the settings. Rejects with every variable that is missing. */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<Settings> {
  const missing = REQUIRED.filter((name) => (env[name] ?? '') === '');
  if (missing.length > 0) throw new Error(`Set the environment variables ${missing.join(', ')}.`);
  const [publicUrl = '', issuer = '', redisUrl = '', key = '', file = ''] = REQUIRED.map((name) => env[name]);
  const encryptionKey = Buffer.from(key, 'base64');
  if (encryptionKey.length !== 32) throw new Error('ENCRYPTION_KEY must be 32 bytes in base64.');
  return {
    port: Number(env['PORT'] ?? 8080),
    operationsPort: Number(env['OPERATIONS_PORT'] ?? 9090),
    host: env['HOST'] ?? '127.0.0.1',
    publicUrl,
    issuer,
    redisUrl,
    encryptionKey,
    servers: serversIn(JSON.parse(await readFile(file, 'utf8'))),
    requestsPerMinute: Number(env['REQUESTS_PER_MINUTE'] ?? 600),
    maxConnections: Number(env['MAX_CONNECTIONS'] ?? 1000),
  };
}

function serversIn(document: unknown): Settings['servers'] {
  if (typeof document !== 'object' || document === null || !('mcpServers' in document)) {
    throw new Error('SERVERS_FILE must contain an object with the member "mcpServers".');
  }
  // Each entry is validated when the host connects it.
  return document.mcpServers as Settings['servers'];
}
