/**
 * A host process. `go <ms>` advances its clock, and prints the token that it would send. `web <url>` starts a sign-in;
 * `back <url>` completes one. It prints `asking` before each request to the token endpoint.
 */
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { createOAuthProvider } from '@mcp-fittings/auth-oauth';
import { redisStore } from '@mcp-fittings/store-redis';
import { openClient } from './open-store.mjs';

const { url, client: kind, port, key, leaseMs, clientId } = JSON.parse(process.argv[2]);
const say = (line) => process.stdout.write(`${line}\n`);
let passed = 0;
const bytes = Buffer.from(key, 'base64url');
const client = await openClient({ client: kind, port });
const store = redisStore({ client, key: () => ({ id: 'test', bytes }), lock: { staleMs: leaseMs } });
const provider = createOAuthProvider({
  url,
  server: 'test',
  clientName: 'tests',
  clientId,
  store,
  clock: { ...systemClock, now: () => Date.now() + passed },
  network: {
    fetch(target, init) {
      if (init?.method === 'POST') say('asking');
      return fetch(target, init);
    },
  },
});

/** Retries what is retryable, like a host. */
async function token() {
  const troubles = [];
  for (let tries = 0; tries < 200; tries++) {
    try {
      const target = { url: new URL(url), method: 'POST' };
      let { authorization } = await provider.headers(target);
      if (authorization === undefined) {
        await provider.onChallenge({ ...target, status: 401 });
        ({ authorization } = await provider.headers(target));
      }
      return { token: authorization?.split(' ')[1], troubles };
    } catch (error) {
      troubles.push(error.code ?? String(error));
      if (error.retryable !== true) break;
      await setTimeout(100);
      // Otherwise the provider would wait for its own pause in real time.
      passed += 2000;
    }
  }
  return { troubles };
}

const commands = {
  async go(ms) {
    passed = Number(ms);
    return token();
  },
  async web(redirectUri) {
    const { url: page, state } = await provider.startSignIn({ redirectUri });
    return { page: page.href, state };
  },
  back: (address) =>
    provider.completeSignIn(address).then(
      () => ({ ok: true }),
      ({ code }) => ({ code }),
    ),
};
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [command, argument] = line.split(' ');
    commands[command](argument).then(
      (answer) => say(`answer ${JSON.stringify(answer)}`),
      (error) => say(`answer ${JSON.stringify({ code: error.code, message: error.message })}`),
    );
  })
  .on('close', () => void client[Symbol.asyncDispose]());
say('answer {}');
