import { FittingsError, type ServerConfig, type StandardSchemaResult } from '@mcp-fittings/client-core';
import { count, type EntrySchema, entrySchema, flag, oneOf } from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { DeliveryPolicy, HostLimits, HostOptions } from '../contracts/host-options.js';

/** Returns the entry as its schema parsed it. Throws `CONFIG_INVALID`, with every mistake in its message. */
export function parseEntry<Entry>(server: string, result: StandardSchemaResult<Entry>, prefix = ''): Entry {
  if (result.issues === undefined) return result.value;
  const mistakes = result.issues.map(({ message, path = [] }) => {
    const place = prefix + path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
    return place === '' ? message : `"${place}" ${message}`;
  });
  throw new FittingsError(
    'CONFIG_INVALID',
    `The entry of the server "${server}" is not valid: ${mistakes.join('; ')}.`,
    {
      server,
    },
  );
}

/** The fields of an entry that the host itself reads, with the defaults of the host filled in. Times in milliseconds. */
export interface ServerSettings {
  readonly disabled: boolean;
  /** If true, the server is connected at its first use. */
  readonly lazy: boolean;
  /** Time without use after which the server is disconnected; 0: never. */
  readonly idleMs: number;
  readonly connectMs: number;
  /** Undefined: the limits of the host apply. */
  readonly discoveryMs: number | undefined;
  readonly callMs: number;
  readonly delivery: DeliveryPolicy;
  readonly reconnect: { readonly maxAttempts: number; readonly delayMs: number };
  readonly healthCheck: {
    readonly enabled: boolean;
    readonly intervalMs: number;
    readonly timeoutMs: number;
    readonly maxFailures: number;
  };
}

const ENTRY = entrySchema({
  disabled: flag(),
  lazy: flag(),
  idleMs: count(),
  connectTimeout: count({ min: 1 }),
  discoveryTimeout: count({ min: 1 }),
  timeout: count({ min: 1 }),
  delivery: oneOf('none', 'reconnect', 'retry'),
});
const RECONNECT = entrySchema({ maxAttempts: count({ max: 1000 }), delayMs: count({ min: 1 }) });
const HEALTH_CHECK = entrySchema({
  enabled: flag(),
  intervalMs: count({ min: 1 }),
  timeoutMs: count({ min: 1 }),
  maxFailures: count({ min: 1 }),
});

export interface SettingsDefaults {
  readonly limits: HostLimits;
  readonly lazy: boolean;
  readonly idleMs: number;
  readonly delivery: DeliveryPolicy;
  readonly servers?: HostOptions['defaults'];
}

/** Reads the settings of an entry. Throws `CONFIG_INVALID`, with the mistakes in its message. */
export function readSettings(
  server: string,
  config: ServerConfig,
  defaults: SettingsDefaults,
): ServerSettings {
  const check = <Entry>(schema: EntrySchema<Entry>, value: unknown, prefix?: string): Entry =>
    parseEntry(server, schema['~standard'].validate(value), prefix);
  const entry = check(ENTRY, config);
  const reconnect = check(RECONNECT, config['reconnect'] ?? {}, 'reconnect.');
  const healthCheck = check(HEALTH_CHECK, config['healthCheck'] ?? {}, 'healthCheck.');
  const general = defaults.servers ?? {};
  const { timeout } = check(ENTRY, { timeout: general.timeout }, 'defaults.');
  const generalReconnect = check(RECONNECT, general.reconnect ?? {}, 'defaults.reconnect.');
  const generalCheck = check(HEALTH_CHECK, general.healthCheck ?? {}, 'defaults.healthCheck.');
  const checksHealth = generalCheck.enabled ?? general.healthCheck !== undefined;
  return {
    disabled: entry.disabled ?? false,
    lazy: entry.lazy ?? defaults.lazy,
    idleMs: entry.idleMs ?? defaults.idleMs,
    connectMs: entry.connectTimeout ?? defaults.limits.connectMs,
    discoveryMs: entry.discoveryTimeout,
    callMs: entry.timeout ?? timeout ?? defaults.limits.callMs,
    delivery: entry.delivery ?? defaults.delivery,
    reconnect: {
      maxAttempts: reconnect.maxAttempts ?? generalReconnect.maxAttempts ?? 5,
      delayMs: reconnect.delayMs ?? generalReconnect.delayMs ?? 1000,
    },
    healthCheck: {
      enabled: healthCheck.enabled ?? (isRecord(config['healthCheck']) || checksHealth),
      intervalMs: healthCheck.intervalMs ?? generalCheck.intervalMs ?? 30_000,
      timeoutMs: healthCheck.timeoutMs ?? generalCheck.timeoutMs ?? 10_000,
      maxFailures: healthCheck.maxFailures ?? generalCheck.maxFailures ?? 3,
    },
  };
}
