import { readFile, writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readSettings } from '../src/settings.js';

const folder = join(import.meta.dirname, '..');

async function documents(file: string): Promise<unknown[]> {
  const parsed = parseAllDocuments(await readFile(join(folder, file), 'utf8'));
  return parsed.map((document) => {
    expect(document.errors).toEqual([]);
    const value: unknown = document.toJS();
    return value;
  });
}

/** Returns what is at a path, such as `spec.containers.0.image`. */
function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => {
    if (Array.isArray(inner)) return inner[Number(name)];
    return isRecord(inner) ? inner[name] : undefined;
  }, value);
}

/** Variables that the program reads. */
async function variables(): Promise<{
  readonly all: readonly string[];
  readonly required: readonly string[];
}> {
  const source = await readFile(join(folder, 'src/settings.ts'), 'utf8');
  const required = (/REQUIRED = \[([^\]]+)\]/.exec(source)?.[1] ?? '').match(/[A-Z_]+/g) ?? [];
  const optional = Array.from(source.matchAll(/env\['([A-Z_]+)'\]/g), ([, name]) => name ?? '');
  return { all: [...required, ...optional], required };
}

/** Starts to read settings from an environment as in a manifest. */
async function settingsFrom(env: Readonly<Record<string, string>>) {
  const temporary = await mkdtemp(join(tmpdir(), 'gateway-fleet-'));
  const file = join(temporary, 'servers.json');
  await writeFile(file, await readFile(join(folder, 'servers.json')));
  const given = { ...env, SERVERS_FILE: file, ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') };
  try {
    return await readSettings(given);
  } finally {
    await rm(temporary, { recursive: true });
  }
}

describe('the manifests', () => {
  it('the compose file sets the variables of the program, and asks its ports', async () => {
    const [compose] = await documents('compose.yaml');
    const gateway = at(compose, 'services.gateway');
    const environment = at(gateway, 'environment');
    if (!isRecord(environment)) throw new Error('no environment');
    const { all, required } = await variables();
    expect(all).toEqual(expect.arrayContaining(Object.keys(environment)));
    expect(Object.keys(environment)).toEqual(expect.arrayContaining([...required]));
    const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));
    const settings = await settingsFrom(env);
    expect(at(gateway, 'expose')).toEqual([String(settings.port), String(settings.operationsPort)]);
    expect(settings.host).toBe('0.0.0.0');
    const probe = String(at(gateway, 'healthcheck.test.3'));
    expect(probe).toContain(`127.0.0.1:${settings.operationsPort}/health/ready`);
    expect(at(gateway, 'deploy.replicas')).toBe(3);
    const mounted = String(at(gateway, 'volumes.0'));
    expect(mounted).toContain(`:${env['SERVERS_FILE'] ?? '-'}:ro`);
    expect(String(at(compose, 'services.redis.command'))).toContain('appendonly,yes,--appendfsync,always');
    expect(env['REDIS_URL']).toBe('redis://redis:6379');

    const nginx = await readFile(join(folder, 'nginx.conf'), 'utf8');
    expect(nginx).toContain(`server gateway:${settings.port} resolve;`);
    expect(nginx).toContain('proxy_buffering off;');
    // What is not idempotent is not repeated after it was sent.
    expect(nginx).not.toContain('non_idempotent');
  });

  it('the Kubernetes manifest sets the variables, and probes the paths of the operations', async () => {
    const [deployment, service, budget] = await documents('kubernetes.yaml');
    const pod = at(deployment, 'spec.template.spec');
    const container = at(pod, 'containers.0');
    const listed = at(container, 'env');
    if (!Array.isArray(listed)) throw new Error('no environment');
    const { all, required } = await variables();
    const names = listed.map((item: unknown) => String(at(item, 'name')));
    expect(all).toEqual(expect.arrayContaining(names));
    expect(names).toEqual(expect.arrayContaining([...required]));
    const env = Object.fromEntries(
      listed.map((item: unknown) => [String(at(item, 'name')), String(at(item, 'value') ?? 'from a secret')]),
    );
    const settings = await settingsFrom(env);
    expect(at(container, 'ports')).toEqual([
      { name: 'mcp', containerPort: settings.port },
      { name: 'operations', containerPort: settings.operationsPort },
    ]);
    const operations = await readFile(
      join(folder, '../../packages/gateway/src/operations/operations.ts'),
      'utf8',
    );
    for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      expect(at(container, `${name}.httpGet.port`)).toBe('operations');
      expect(operations).toContain(`'${String(at(container, `${name}.httpGet.path`))}'`);
    }
    expect(at(service, 'spec.ports')).toEqual([{ name: 'mcp', port: 80, targetPort: 'mcp' }]);
    const labels = at(deployment, 'spec.template.metadata.labels');
    expect(at(service, 'spec.selector')).toEqual(labels);
    expect(at(budget, 'spec.selector.matchLabels')).toEqual(labels);
    expect(at(budget, 'spec.minAvailable')).toBe(2);
    expect(at(pod, 'volumes.0.configMap.name')).toBe('gateway-servers');
    expect(env['SERVERS_FILE']).toBe(`${String(at(container, 'volumeMounts.0.mountPath'))}/servers.json`);
  });

  it('a replica ends before it is killed', async () => {
    const [compose] = await documents('compose.yaml');
    const [deployment] = await documents('kubernetes.yaml');
    const main = await readFile(join(folder, 'src/main.ts'), 'utf8');
    const graceMs = Number(/graceMs: ([\d_]+)/.exec(main)?.[1]?.replaceAll('_', ''));
    const minMs = Number(/minMs: ([\d_]+)/.exec(main)?.[1]?.replaceAll('_', ''));
    const seconds = Number(at(deployment, 'spec.template.spec.terminationGracePeriodSeconds'));
    expect(seconds * 1000).toBeGreaterThan(graceMs + 5000);
    expect(at(compose, 'services.gateway.stop_grace_period')).toBe(`${seconds}s`);
    // It is not ready before it stops: the probe has noticed.
    const period = Number(at(deployment, 'spec.template.spec.containers.0.readinessProbe.periodSeconds'));
    expect(minMs).toBeGreaterThan(2 * period * 1000);
  });

  it('says which variables are missing', async () => {
    await expect(readSettings({ ISSUER: 'https://login.example' })).rejects.toThrow(
      'PUBLIC_URL, REDIS_URL, ENCRYPTION_KEY, SERVERS_FILE',
    );
  });
});
