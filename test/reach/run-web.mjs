/** `node run-web.mjs chromium|workerd BUNDLE`: runs the steps of web-program.mjs on the platform, and prints their lines. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { chromium } from 'playwright';
import workerd from 'workerd';
import { freePort } from '../../scripts/free-port.mjs';
import { HEADLESS_CHROMIUM } from '../../scripts/headless-chromium.ts';

const [platform, bundle] = process.argv.slice(2);
const { http } = JSON.parse(process.env['REACH']).servers;
const lines = platform === 'chromium' ? await inChromium() : await inWorkerd();
for (const line of lines) console.log(line);

async function inChromium() {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const browser = await chromium.launch(HEADLESS_CHROMIUM);
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const code = readFileSync(bundle, 'utf8');
    return await page.evaluate(
      async ([text, entry]) => {
        const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
        const { runSteps } = await import(url);
        return runSteps(entry);
      },
      [code, http],
    );
  } finally {
    await browser.close();
    server.close();
  }
}

async function inWorkerd() {
  const folder = dirname(bundle);
  const port = await freePort();
  const name = basename(bundle);
  writeFileSync(
    join(folder, 'worker.mjs'),
    `import { runSteps } from './${name}';
export default { fetch: async (request) => new Response((await runSteps(await request.json())).join('\\n')) };`,
  );
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.mjs", esModule = embed "worker.mjs"), (name = "${name}", esModule = embed "${name}")],
      compatibilityDate = "2026-11-01",
    )),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);`,
  );
  // Not the script in `.bin`: it starts this program, which would outlive the script.
  const worker = spawn(workerd.default, ['serve', '--control-fd=1', join(folder, 'config.capnp')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    // It writes a line when it listens.
    await once(worker.stdout, 'data');
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(http) });
    return (await answer.text()).split('\n');
  } finally {
    worker.kill('SIGKILL');
  }
}
