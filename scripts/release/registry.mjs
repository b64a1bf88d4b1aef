/** A local npm registry on loopback: ours are published here, everybody else's come from the registry in use. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.mjs';

const here = import.meta.dirname;
const START_MS = 60_000;

/**
 * @param {string} folder where it keeps everything; the caller removes it
 * @returns {Promise<{ env: Record<string, string>, stop: () => Promise<void> }>} `env` makes any npm use it
 */
export async function startRegistry(folder) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const config = join(folder, 'registry.json');
  mkdirSync(folder, { recursive: true });
  writeFileSync(config, JSON.stringify(configOf(folder, uplink())));
  // Everyone may publish, but npm does not ask before it has a token.
  const npmrc = join(folder, 'npmrc');
  writeFileSync(
    npmrc,
    `registry=${url}\n//127.0.0.1:${port}/:_authToken=rehearsal\nfund=false\naudit=false\n`,
  );

  const node = join(here, 'node_modules/node/bin/node');
  const verdaccio = join(here, 'node_modules/verdaccio/bin/verdaccio');
  const child = spawn(node, [verdaccio, '--config', config, '--listen', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = async () => {
    child.kill();
    await ended;
  };
  try {
    await answers(url, child);
  } catch (error) {
    await stop();
    throw new Error(`The registry did not start.\n${output}`, { cause: error });
  }
  const env = {
    npm_config_userconfig: npmrc,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_update_notifier: 'false',
    npm_config_registry: url,
  };
  return { env, stop };
}

function configOf(folder, uplinkUrl) {
  return {
    storage: join(folder, 'storage'),
    uplinks: { npm: { url: uplinkUrl, timeout: '60s', maxage: '60m', max_fails: 20 } },
    packages: {
      '@mcp-fittings/*': { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'npm' },
    },
    max_body_size: '50mb',
    log: { type: 'stdout', format: 'pretty', level: 'error' },
  };
}

function uplink() {
  return execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', cwd: here }).trim();
}

async function answers(url, child) {
  const until = Date.now() + START_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}.`);
    const answer = await fetch(`${url}-/ping`).catch(() => undefined);
    if (answer?.ok === true) return;
    if (Date.now() > until) throw new Error(`It does not answer within ${START_MS} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
