/** `node run-web.mjs chromium|workerd BUNDLE`: runs the steps of web-program.mjs on the platform, and prints their lines. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import workerd from 'workerd';
import { scriptedPerson } from '../../packages/auth-oauth/test/support/authorization-server.mjs';
import { freePort } from '../../scripts/free-port.mjs';
import { HEADLESS_CHROMIUM } from '../../scripts/headless-chromium.ts';

const [platform, bundle] = process.argv.slice(2);
const { servers } = JSON.parse(process.env['REACH']);
const lines = platform === 'chromium' ? await inChromium() : await inWorkerd();
for (const line of lines) console.log(line);

/** Two pages of one origin: the first one leaves for the authorization server, which sends the browser to the second one. */
async function inChromium() {
  const server = createServer((request, response) => {
    const isProgram = request.url === '/program.mjs';
    response.writeHead(200, { 'content-type': isProgram ? 'text/javascript' : 'text/html' });
    response.end(isProgram ? readFileSync(bundle) : '<!doctype html>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${server.address().port}`;
  const browser = await chromium.launch(HEADLESS_CHROMIUM);
  try {
    const page = await browser.newPage();
    const call = (name, ...given) =>
      page.evaluate(
        async ([member, args]) => {
          const program = await import('/program.mjs');
          return program[member](...args);
        },
        [name, given],
      );
    await page.goto(origin);
    const url = await call('leave', servers, `${origin}/signed-in`);
    await page.evaluate((target) => void setTimeout(() => location.assign(target)), url);
    await page.fill('[name=login]', 'person');
    await page.fill('[name=password]', 'word');
    await page.click('button[type=submit]');
    await page.click('button[type=submit]:has-text("Continue")');
    await page.waitForURL(`${origin}/signed-in?*`);
    return await call('runSteps', servers);
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
    `import * as program from './${name}';
export default {
  async fetch(request) {
    const [member, ...given] = await request.json();
    return Response.json(await program[member](...given));
  },
};`,
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
    const call = async (...call) => {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(call) });
      return answer.json();
    };
    const url = await call('leave', servers, 'http://127.0.0.1/signed-in');
    const { location } = await scriptedPerson(url);
    return await call('runSteps', servers, location);
  } finally {
    worker.kill('SIGKILL');
  }
}
