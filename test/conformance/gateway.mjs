/**
 * `node test/conformance/gateway.mjs [--features] [scenario …]`: the server scenarios of both published versions of the official tool, against
 * a server itself and against the same server behind the gateway, at `/mcp/{server}` and at `/mcp`. Fails if a check that the server
 * passes is not passed through the gateway, unless EXPECTED says why. The server is `server-everything`, or with `--features` one of
 * our own that has what the scenarios call.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCallbackRouter, createGateway } from '@mcp-fittings/gateway';
import { createHost } from '@mcp-fittings/host';
import { naming } from '@mcp-fittings/tools';
import { http } from '@mcp-fittings/transport-http';
import { freePort } from '../../scripts/free-port.mjs';
import { startFeaturesServer } from './features-server.mjs';

const NAME = 'everything';
const RUNS = [
  { name: '0.1.16', tool: 'conformance-2025', args: [] },
  { name: '0.2.0-alpha.12, 2025-11-25', tool: 'conformance-2026', args: ['--spec-version', '2025-11-25'] },
  { name: '0.2.0-alpha.12, 2026-07-28', tool: 'conformance-2026', args: ['--spec-version', '2026-07-28'] },
];

const NO_TOOL =
  'the server has no such tool, and answers with `isError`; for all servers, the gateway says that it is unknown';
const OWN_KEYS = 'the keys of questions are those of the gateway';
const REAL_CHANGES = 'the list has not changed';
const JSON_ANSWERS = 'the gateway answers with JSON; the tool says that event streams are optional';

/** Checks that the gateway does not pass though the server does, by scenario and check, with the reason. */
const EXPECTED = {
  'tools-call-error/tools-call-error': NO_TOOL,
  'tools-call-simple-text/tools-call-simple-text': NO_TOOL,
  'server-sse-multiple-streams/server-sse-streams-functional': JSON_ANSWERS,
  'server-sse-polling/server-sse-priming-event': 'the gateway answers with JSON, which has no events',
  'input-required-result-basic-elicitation/sep-2322-elicitation-incomplete': OWN_KEYS,
  'input-required-result-basic-elicitation/sep-2322-elicitation-complete': OWN_KEYS,
  'input-required-result-ignore-extra-params/sep-2322-ignore-unexpected-params': OWN_KEYS,
  'server-stateless/sep-2575-server-sends-prompts-list-changed-on-subscription': REAL_CHANGES,
  'server-stateless/sep-2575-server-sends-tools-list-changed-on-subscription': REAL_CHANGES,
};
/** Those that only the address of one server passes, and those that only `server-everything` or only ours does not. */
const isExpected = (id, address, status) => {
  const reason = EXPECTED[id];
  // A stream that does not work is a failure, here as elsewhere.
  if (reason === JSON_ANSWERS) return status === 'INFO';
  if (reason === NO_TOOL) return !withFeatures && address === '/mcp';
  if (reason === OWN_KEYS || reason === REAL_CHANGES) return withFeatures;
  return reason !== undefined && !withFeatures;
};

const here = import.meta.dirname;
const node24 = join(here, 'node_modules/node/bin/node');
const withFeatures = process.argv.includes('--features');
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
if (!existsSync(node24)) {
  console.error('The tool is not installed: run "npm ci --prefix test/conformance --ignore-scripts=false".');
  process.exit(2);
}

const upstream = withFeatures ? await startFeaturesServer() : await startEverything();
const gateway = await startGateway(upstream.url);
const addresses = { '/mcp/{server}': `${gateway.url}/mcp/${NAME}`, '/mcp': `${gateway.url}/mcp` };
let lost = 0;
try {
  for (const run of RUNS) {
    const direct = await runTool(run, upstream.url);
    const passed = [...direct].filter(([, check]) => check.status === 'SUCCESS');
    for (const [address, url] of Object.entries(addresses)) {
      const through = await runTool(run, url);
      const losses = passed.filter(([id]) => through.get(id)?.status !== 'SUCCESS');
      const differs = ([id]) => isExpected(id, address, through.get(id)?.status);
      const unexpected = losses.filter((loss) => !differs(loss));
      lost += unexpected.length;
      console.log(
        `${unexpected.length === 0 ? 'pass' : 'FAIL'}  ${run.name}  ${address}: ${passed.length - losses.length} of the ${passed.length} checks that the server passes itself`,
      );
      for (const loss of losses) {
        const [id] = loss;
        const why = differs(loss) ? EXPECTED[id] : (through.get(id)?.errorMessage ?? 'not seen');
        console.log(`      ${differs(loss) ? 'differs' : 'lost'}: ${id}: ${why}`);
      }
    }
  }
} finally {
  await gateway.close();
  await upstream.close();
}
process.exitCode = lost === 0 ? 0 : 1;

/** Runs all scenarios. Resolves with the checks by `scenario/check`; one that was made several times counts as its worst. */
async function runTool({ tool, args }, url) {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const index = join(here, 'node_modules', tool, 'dist/index.js');
  const child = spawn(node24, [index, 'server', '--url', url, '--suite', 'all', ...args, '-o', folder], {
    stdio: 'ignore',
  });
  await once(child, 'close');
  const checks = new Map();
  for (const name of readdirSync(folder)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1];
    if (scenario === undefined || (wanted.length > 0 && !wanted.includes(scenario))) continue;
    for (const check of JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'))) {
      const id = `${scenario}/${check.id}`;
      if (checks.get(id)?.status !== 'FAILURE') checks.set(id, check);
    }
  }
  rmSync(folder, { recursive: true });
  if (checks.size === 0) throw new Error(`The tool made no check at ${url}.`);
  return checks;
}

async function startEverything() {
  const port = await freePort();
  const index = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/dist/index.js',
  );
  const child = spawn(process.execPath, [index, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    stderr += chunk;
    if (stderr.includes('listening')) break;
  }
  child.stderr.resume();
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => void child.kill(),
  };
}

async function startGateway(url) {
  const callbacks = createCallbackRouter();
  const host = createHost({
    name: 'gateway-conformance',
    version: '0.1.0',
    transports: [http()],
    callbacks: callbacks.hostCallbacks,
  });
  const [server] = await host.connect({ [NAME]: { url } });
  if (server.state.status !== 'connected') throw server.state.error ?? new Error(server.state.status);
  // The tool sends no token; nothing but this machine reaches the port.
  const access = { authenticate: async () => ({ caller: { id: 'conformance' } }) };
  // The scenarios know their tools by the original names.
  const gateway = createGateway(host, { callbacks, access, naming: naming.bare, unlisted: 'send' });
  const listening = createServer(gateway.listener);
  await new Promise((resolve) => void listening.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${listening.address().port}`,
    async close() {
      await gateway.close();
      await host.close();
      listening.closeAllConnections();
      listening.close();
    },
  };
}
