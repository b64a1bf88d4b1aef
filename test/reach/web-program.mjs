/** The steps of program.mjs that a platform without processes, files and sockets can take. */
import { createBearerProvider, createOAuthProvider } from '@mcp-fittings/auth-oauth/fetch';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http/fetch';

const memory = new Map();
/** A page keeps its sign-in for the tab, which leaves it in between. A Worker keeps it in memory here. */
const kept = globalThis.sessionStorage ?? {
  getItem: (key) => memory.get(key) ?? null,
  setItem: (key, text) => memory.set(key, text),
  removeItem: (key) => memory.delete(key),
};
const store = {
  get: async (key) => JSON.parse(kept.getItem(key)) ?? undefined,
  set: async (key, value) => kept.setItem(key, JSON.stringify(value)),
  delete: async (key) => kept.removeItem(key),
  withLock: async (key, work) => {
    const locked = () => work(new AbortController().signal);
    return globalThis.navigator?.locks === undefined ? locked() : navigator.locks.request(key, locked);
  },
};

function signInOf({ url, clientId }) {
  return createOAuthProvider({ url, clientId, clientName: 'reach', store });
}

/** Resolves with the page of the authorization server, where the user signs in. */
export async function leave({ guardedEverything }, redirectUri) {
  const { url } = await signInOf(guardedEverything).startSignIn({ redirectUri });
  return url.href;
}

/** Resolves with a line for each step. The user has come back to `callback`. */
export async function runSteps({ http: entry, guardedEverything: guarded }, callback = location.href) {
  const lines = [];
  const open = [];
  const step = async (name, run) => {
    try {
      await run();
      lines.push(`works ${name}`);
    } catch (error) {
      const { code = '', message = '', cause } = error ?? {};
      lines.push(`fails ${name}: ${code} ${message} ${cause?.message ?? ''}`.replaceAll('\n', ' '));
    }
  };
  const echoes = async (url, provider) => {
    const auth = provider === undefined ? [] : [{ specVersion: 1, scheme: 'reach', create: () => provider }];
    const host = createHost({ name: 'reach', version: '1.0.0', transports: [http()], auth });
    open.push(host);
    await host.connect({ server: { type: 'http', url } });
    const { state } = host.server('server');
    if (state.status === 'failed') throw state.error;
    const { content } = await host.callTool({ server: 'server', tool: 'echo' }, { message: 'hi' });
    if (content[0].text !== 'Echo: hi') throw new Error(JSON.stringify(content));
  };
  const { url } = guarded;

  await step('http', () => echoes(entry.url));
  await step('token', async () => {
    await echoes(url, createBearerProvider({ url, token: guarded.token }));
    const wrong = await echoes(url, createBearerProvider({ url, token: 'wrong' })).catch((error) => error);
    if (wrong?.code !== 'AUTH_REJECTED') throw new Error('A wrong token was accepted.', { cause: wrong });
  });
  await step('sign-in', async () => {
    const provider = signInOf(guarded);
    await provider.completeSignIn(callback);
    await echoes(url, provider);
    const { authorization } = await provider.headers({ url: new URL(url), method: 'POST' });
    await provider.onChallenge({ url: new URL(url), status: 401, refused: authorization });
    const renewed = await provider.headers({ url: new URL(url), method: 'POST' });
    if (renewed.authorization === authorization) throw new Error('The token was not renewed.');
    await echoes(url, provider);
  });
  await step('end', () => Promise.all(open.map((host) => host.close())));
  return lines;
}
