import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Clock } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import {
  deviceCode,
  interactionForEnvironment,
  openBrowser,
  pasteBack,
  detectEnvironment,
  type DevicePrompt,
} from '@mcp-fittings/auth-oauth';
import { openerOf } from '../src/interaction/open-browser.js';
import { scriptedPerson } from './support/authorization-server.mjs';
import { createWorld, type World } from './support/world.js';

describe('the browser is opened without a shell', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.runIf(process.platform === 'linux')(
    'finds it in absolute folders only, and so does the browser',
    async () => {
      const [strange, own] = await Promise.all([
        mkdtemp(join(tmpdir(), 'strange-')),
        mkdtemp(join(tmpdir(), 'own-')),
      ]);
      for (const folder of [strange, own]) {
        const record = JSON.stringify(join(folder, 'record'));
        const text = `#!${process.execPath}\nrequire('fs').writeFileSync(${record}, process.env.PATH);\n`;
        await writeFile(join(folder, 'xdg-open'), text, { mode: 0o755 });
      }
      const inside = relative(process.cwd(), strange);
      for (const path of [inside, `./${inside}`, `${inside}:`]) {
        vi.stubEnv('PATH', path);
        await expect(openBrowser(new URL('https://a.example/'))).rejects.toMatchObject({
          code: 'AUTH_FAILED',
        });
      }
      vi.stubEnv('PATH', `${inside}::.:${own}:bin`);
      await openBrowser(new URL('https://a.example/'));
      expect(await readFile(join(own, 'record'), 'utf8')).toBe(own);
      await expect(readFile(join(strange, 'record'))).rejects.toMatchObject({ code: 'ENOENT' });
      await Promise.all([strange, own].map((folder) => rm(folder, { recursive: true })));
    },
  );

  it.runIf(process.platform === 'linux')('hands the program one canonical argument', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'opener-'));
    const record = join(folder, 'record');
    await writeFile(
      join(folder, 'xdg-open'),
      `#!${process.execPath}\nrequire('fs').writeFileSync(${JSON.stringify(record)}, JSON.stringify(process.argv.slice(2)));\n`,
    );
    await chmod(join(folder, 'xdg-open'), 0o755);
    vi.stubEnv('PATH', folder);
    for (const url of [
      'https://a.example/$(calc)',
      'https://a.example/`id`',
      'https://a.example/?x="&calc&"',
      "https://a.example/';Start-Process calc;'",
      'https://a.example/ --flag',
      'http://127.0.0.1:1234/authorize',
    ]) {
      await openBrowser(new URL(url));
      const args = JSON.parse(await readFile(record, 'utf8'));
      expect(args).toEqual([new URL(url).href]);
      expect(args[0]).not.toMatch(/^-|["\s]/);
    }
    // One that waits for the browser to be closed.
    await rm(record);
    await writeFile(
      join(folder, 'xdg-open'),
      `#!${process.execPath}\nrequire('fs').writeFileSync(${JSON.stringify(record)}, String(process.pid)); setTimeout(() => {}, 60_000);\n`,
    );
    const clock = createManualClock();
    const opened = openBrowser(new URL('https://a.example/'), { clock });
    while (clock.nextIn === undefined) await new Promise((resolve) => setImmediate(resolve));
    expect(clock.nextIn).toBe(2000);
    await clock.advance(2000);
    await opened;
    const pid = await vi.waitUntil(async () => Number(await readFile(record, 'utf8').catch(() => '')), {
      timeout: 20_000,
    });
    process.kill(pid, 'SIGKILL');
    await writeFile(join(folder, 'xdg-open'), `#!${process.execPath}\nprocess.exit(3);\n`);
    await expect(openBrowser(new URL('https://a.example/'))).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    await rm(join(folder, 'xdg-open'));
    await expect(openBrowser(new URL('https://a.example/'))).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    await rm(folder, { recursive: true });
  });

  it.each([
    ['darwin', ['/usr/bin/open', 'https://a.example/?a=1&b=%22']],
    [
      'win32',
      [
        String.raw`D:\Windows\System32\rundll32.exe`,
        'url.dll,FileProtocolHandler',
        'https://a.example/?a=1&b=%22',
      ],
    ],
  ] as const)('is opened on %s by a program with a full path', (platform, command) => {
    vi.stubEnv('SystemRoot', String.raw`D:\Windows`);
    expect(openerOf(platform, 'https://a.example/?a=1&b=%22')).toEqual(command);
  });

  // On Windows, Node.js itself needs the folder of the system, which this replaces.
  it.runIf(process.env['UNDER_WINE'] !== undefined)('gets the address unchanged on Windows', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'opener-'));
    const record = join(folder, 'record');
    const recorder = `require('fs').writeFileSync(${JSON.stringify(record)}, process.argv.at(-1)); process.exit(0);`;
    await writeFile(join(folder, 'recorder.cjs'), recorder);
    await mkdir(join(folder, 'System32'));
    await copyFile(process.execPath, join(folder, 'System32', 'rundll32.exe'));
    vi.stubEnv('SystemRoot', folder);
    vi.stubEnv('NODE_OPTIONS', `--require "${join(folder, 'recorder.cjs').replaceAll('\\', '/')}"`);
    for (const url of [
      'https://a.example/?x="&calc&"',
      'https://a.example/^%PATH%|calc',
      'https://ü.example/日',
    ]) {
      await openBrowser(new URL(url));
      expect(await readFile(record, 'utf8')).toBe(new URL(url).href);
    }
    await rm(folder, { recursive: true, maxRetries: 10 });
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'http://evil.example/'])(
    'refuses %s before anything is started',
    async (url) => {
      vi.stubEnv('PATH', '/nowhere');
      await expect(openBrowser(new URL(url))).rejects.toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
    },
  );
});

describe('paste-back', () => {
  it('signs in with the pasted URL, and asks again for any other text', async () => {
    await using world = await createWorld();
    const attempts: number[] = [];
    const interaction = pasteBack({
      async ask({ url, attempt }) {
        attempts.push(attempt);
        if (attempt === 1) return 'what do you mean?';
        if (attempt === 2) return 'http://127.0.0.1:33418/callback?code=evil&state=other';
        return `  ${(await scriptedPerson(url)).location}\n`;
      },
    });
    expect((await world.use(world.provider({ interaction }))).status).toBe(200);
    expect(attempts).toEqual([1, 2, 3]);
  });

  it.each<[string, string]>([
    ['   \n', 'Nothing was pasted.'],
    ['SplxlOBeZQQYbYS6WxSbIA', 'This is not an address: it must start with http://127.0.0.1:33418/callback?'],
    [
      'https://as.example/authorize?client_id=c&state=this-sign-in',
      'This is the address of the sign-in page. Sign in there, then paste the address that the browser shows at the end.',
    ],
    [
      'https://as.example/login?next=x',
      'This address starts with https://as.example/login; the address to paste starts with http://127.0.0.1:33418/callback?',
    ],
    [
      'http://127.0.0.1:5000/callback?code=c&state=another-sign-in',
      'This address starts with http://127.0.0.1:5000/callback; the address to paste starts with http://127.0.0.1:33418/callback?',
    ],
    [
      'http://127.0.0.1:33418/callback?code=c',
      'The end of the address is missing: it has no "state". Copy the whole address.',
    ],
    [
      'http://127.0.0.1:33418/callback?code=c&state=this-sig',
      'The end of the address is missing: its "state" is cut off. Copy the whole address.',
    ],
    [
      '?code=c&state=another-sign-in',
      'This is the address of another sign-in: its "state" differs. Open the sign-in page that is shown here, and sign in again.',
    ],
    [
      'http://127.0.0.1:33418/callback?code=c&state=this-sign-in&state=this-sign-in',
      'The address has more than one "state". Copy the whole address, once.',
    ],
  ])('says what is wrong with %j', (text, problem) => expectProblem(text, problem));

  it('says what is wrong with a long text', async () => {
    const callback = 'http://127.0.0.1:33418/callback';
    await expectProblem(`${callback}?code=${'c'.repeat(70_000)}`, 'This is too long to be the address.');
    const start = expect.stringMatching(/^This address starts with https:\/\/as\.example\/a{50,200}…; the/);
    await expectProblem(`https://as.example/${'a'.repeat(5000)}\u001b[31m?x`, start);
  });

  async function expectProblem(text: string, problem: unknown): Promise<void> {
    const problems: (string | undefined)[] = [];
    const session = await pasteBack({
      async ask(question) {
        problems.push(question.problem);
        return problems.length === 1 ? text : 'http://127.0.0.1:33418/callback?code=c&state=this-sign-in';
      },
    }).begin({ server: 'test' });
    const url = new URL('https://as.example/authorize?client_id=c&state=this-sign-in');
    const answer = await session.authorize({ url, state: 'this-sign-in' });
    expect(answer.get('code')).toBe('c');
    expect(problems).toEqual([undefined, problem]);
  }

  it('accepts any spelling of the address that carries the state', async () => {
    for (const text of [
      'http://localhost:33418/callback?code=c&state=s',
      '?code=c&state=s',
      'code=c&state=s',
    ]) {
      const session = await pasteBack({ ask: async () => text }).begin({ server: 'test' });
      const answer = await session.authorize({ url: new URL('https://as.example/a'), state: 's' });
      expect(answer.get('code')).toBe('c');
    }
  });

  it('fails after five texts, and at once when it is aborted', async () => {
    const session = await pasteBack({ ask: async () => 'no' }).begin({ server: 'test' });
    const url = new URL('https://as.example/');
    await expect(session.authorize({ url, state: 's' })).rejects.toMatchObject({
      code: 'AUTH_FAILED',
      message: expect.stringContaining('This is not an address'),
    });
    const cancel = new AbortController();
    const waiting = await pasteBack({ ask: () => new Promise(() => undefined) }).begin({
      server: 'test',
      signal: cancel.signal,
    });
    const answer = waiting.authorize({ url, state: 's' });
    cancel.abort();
    await expect(answer).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('the device grant', () => {
  const INTERVAL_MS = 5000;
  /** Waits a hundredth of the polling interval, and the full time for everything else. */
  const hurried = (waits: number[]): Clock => ({
    ...systemClock,
    schedule(task, ms, options) {
      if (ms !== INTERVAL_MS) return systemClock.schedule(task, ms, options);
      waits.push(ms);
      return systemClock.schedule(task, ms / 100, options);
    },
  });
  const polls = (world: World): readonly string[] =>
    world.as.tokenRequests.map(({ grant, status }) => `${grant.split(':').at(-1)} ${status}`);

  it('polls every five seconds until the person has entered the code', async () => {
    await using world = await createWorld();
    const prompts: DevicePrompt[] = [];
    const waits: number[] = [];
    const interaction = deviceCode({
      show(prompt) {
        prompts.push(prompt);
        // The person is slow: the code is entered after one poll.
        void vi
          .waitUntil(() => polls(world).length > 0, { interval: 5 })
          .then(() => scriptedPerson(prompt.verificationUriComplete ?? prompt.verificationUri));
      },
    });
    const provider = world.provider({ interaction, clock: hurried(waits) });
    expect((await world.use(provider)).status).toBe(200);
    expect(prompts[0]?.userCode).toMatch(/^[A-Z0-9-]+$/);
    expect(polls(world)[0]).toBe('device_code 400');
    expect(polls(world).at(-1)).toBe('device_code 200');
    expect(waits.length).toBeGreaterThanOrEqual(polls(world).length);
  });

  it('polls while the person takes a while, and stops when it is aborted', async () => {
    await using world = await createWorld();
    const cancel = new AbortController();
    const provider = world.provider({
      interaction: deviceCode({ show: () => undefined }),
      clock: hurried([]),
    });
    const signIn = provider.signIn?.({ signal: cancel.signal });
    const ended = expect(signIn).rejects.toMatchObject({ code: 'ABORTED' });
    await vi.waitUntil(() => polls(world).length > 1, { interval: 5, timeout: 20_000 });
    cancel.abort();
    await ended;
    expect(new Set(polls(world))).toEqual(new Set(['device_code 400']));
  });

  it('is aborted while the code is being shown', async () => {
    await using world = await createWorld();
    const cancel = new AbortController();
    const show = (): Promise<void> => {
      cancel.abort();
      return new Promise(() => undefined);
    };
    const provider = world.provider({ interaction: deviceCode({ show }) });
    await expect(provider.signIn?.({ signal: cancel.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('the interaction for the environment', () => {
  const nothing = (): boolean => false;
  it.each([
    ['desktop', { DISPLAY: ':0' }, 'linux', nothing],
    ['desktop', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux', nothing],
    ['desktop', {}, 'darwin', nothing],
    ['desktop', {}, 'win32', nothing],
    ['remote', {}, 'linux', nothing],
    ['remote', { SSH_CONNECTION: '1 2 3 4', DISPLAY: ':0' }, 'linux', nothing],
    ['remote', { SSH_TTY: '/dev/pts/1' }, 'darwin', nothing],
    ['remote', { DISPLAY: ':0' }, 'linux', (path: string) => path === '/.dockerenv'],
    ['remote', { CODESPACES: 'true' }, 'linux', nothing],
    ['unattended', { CI: 'true', DISPLAY: ':0' }, 'linux', nothing],
    ['desktop', { CI: 'false', DISPLAY: ':0' }, 'linux', nothing],
  ] as const)('%s', (place, env, platform, exists) => {
    expect(detectEnvironment(env, platform, exists)).toBe(place);
  });

  it('prefers a device code to pasting, and reports what is missing', () => {
    const showCode = (): void => undefined;
    const askForAddress = async (): Promise<string> => '';
    const remote = interactionForEnvironment({ environment: 'remote', showCode, askForAddress });
    expect(remote({ deviceGrant: true }).kind).toBe('device');
    expect(remote({ deviceGrant: false }).kind).not.toBe('device');
    const without = (options: object, deviceGrant: boolean, what: string): void =>
      expect(() => interactionForEnvironment({ environment: 'remote', ...options })({ deviceGrant })).toThrow(
        expect.objectContaining({ code: 'AUTH_FAILED', message: expect.stringContaining(what) }),
      );
    without({}, true, 'both "showCode" and "askForAddress" are missing');
    without({}, false, 'does not support the device grant, and "askForAddress" is missing');
    without({ showCode }, false, 'the device grant, which "showCode" needs, and "askForAddress" is missing');
    expect(() =>
      interactionForEnvironment({ environment: 'unattended', showCode })({ deviceGrant: true }),
    ).toThrow('unattended');
    expect(interactionForEnvironment({ environment: 'desktop' })({ deviceGrant: true }).kind).not.toBe(
      'device',
    );
  });
});
