import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { scriptedPerson } from '../../auth-oauth/test/support/authorization-server.mjs';
import { BIN, startBridge } from './support/bridge-process.js';
import { startProtectedServer } from './support/protected-server.js';
import { describeWithTerminal, openTerminal, type Terminal } from './support/terminal.js';
import { everything, openWorkspace, type Workspace } from './support/workspace.js';

const PATIENCE = 240_000;

describeWithTerminal('a person at a terminal', () => {
  async function sitDown(size: { columns?: number; rows?: number } = {}): Promise<{
    terminal: Terminal;
    workspace: Workspace;
  }> {
    const workspace = await openWorkspace();
    onTestFinished(() => workspace[Symbol.asyncDispose]());
    const bin = join(workspace.home, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'fittings'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
    await chmod(join(bin, 'fittings'), 0o755);
    const env = { ...workspace.env, PATH: `${bin}:${workspace.env['PATH'] ?? ''}` };
    const terminal = await openTerminal({ cwd: workspace.project, env, ...size });
    onTestFinished(() => terminal[Symbol.asyncDispose]());
    return { terminal, workspace };
  }

  it(
    'import asks about mcp-remote, and about a secret that would be written into the project',
    async () => {
      const { terminal, workspace } = await sitDown();
      const file = await workspace.write('../home/desktop.json', {
        mcpServers: {
          remote: { command: 'npx', args: ['mcp-remote', 'https://r.example/mcp'] },
          local: { command: 'x', env: { API_TOKEN: 'hunter2hunter2' } },
        },
      });
      const from = `fittings import --from claude-desktop --file ${file} --scope project`;
      const importing = await terminal.start(`${from} remote local`);
      await terminal.until('Connect to the server itself?');
      await terminal.press('Enter');
      await terminal.until('What do you want to write to the project?');
      await terminal.press('Enter');
      expect((await importing.ended()).code).toBe(0);
      expect(JSON.parse(await readFile(join(workspace.project, '.mcp.json'), 'utf8'))).toEqual({
        mcpServers: {
          remote: { type: 'http', url: 'https://r.example/mcp' },
          local: { type: 'stdio', command: 'x', env: { API_TOKEN: '${API_TOKEN}' } },
        },
      });
      expect(await terminal.text()).not.toContain('hunter2hunter2');
    },
    PATIENCE,
  );

  it(
    'export shows a named server that is not approved, and asks',
    async () => {
      const { terminal, workspace } = await sitDown();
      await workspace.write('.mcp.json', { mcpServers: { brought: everything } });
      const from = 'fittings export brought --to cursor -o out.json';
      const declining = await terminal.start(from);
      await terminal.until('brought is not approved. Export it anyway?');
      expect(await terminal.text()).toContain(`"${everything.args[0]}"`);
      await terminal.press('Enter');
      const declined = await declining.ended();
      expect(declined).toMatchObject({ code: 5, text: expect.stringContaining('Nothing was exported.') });
      await expect(readFile(join(workspace.project, 'out.json'))).rejects.toThrow('ENOENT');
      const agreeing = await terminal.start(from);
      await terminal.until('Export it anyway?');
      await terminal.press('Left', 'Enter');
      expect((await agreeing.ended()).text).toContain('Wrote 1 server to');
      expect(JSON.parse(await readFile(join(workspace.project, 'out.json'), 'utf8'))).toEqual({
        mcpServers: { brought: everything },
      });
    },
    PATIENCE,
  );

  it(
    'a pipe: what its reader writes to the terminal stays, while a server is waited for',
    async () => {
      const { terminal, workspace } = await sitDown();
      // The server starts once the reader of the pipe has written a line in the middle of the wait.
      const at = (name: string): string => join(workspace.project, name);
      const wait = `touch ${at('asked')}; until [ -e ${at('told')} ]; do sleep 0.1; done`;
      const slow = {
        command: 'sh',
        args: ['-c', `${wait}; exec "$0" "$1"`, everything.command, ...everything.args],
      };
      await workspace.write('servers.json', { mcpServers: { slow } });
      const reader = `until [ -e ${at('asked')} ]; do sleep 0.1; done; sleep 1; echo FIRST; sleep 1; touch ${at('told')}; cat`;
      const { text, code } = await terminal.run(
        `fittings --strict-mcp-config --mcp-config servers.json list tools slow | tee whole.txt | (${reader})`,
      );
      expect(code).toBe(0);
      const whole = await readFile(join(workspace.project, 'whole.txt'), 'utf8');
      expect(whole).toContain('get-sum');
      const lines = (shown: string): readonly string[] => shown.split('\n').map((line) => line.trimEnd());
      expect(lines(text).join('\n')).toContain(`FIRST\n${lines(whole).join('\n').trimEnd()}`);
      expect(text).not.toContain('waiting for');
    },
    PATIENCE,
  );

  it(
    'a terminal without a size counts as one of 80 columns',
    async () => {
      const { terminal, workspace } = await sitDown();
      await workspace.write('servers.json', { mcpServers: { everything } });
      const { text } = await terminal.run(
        'stty cols 0 rows 0; fittings --strict-mcp-config --mcp-config servers.json status',
      );
      expect(text).toMatch(/● {2}everything +stdio +connected +13/);
    },
    PATIENCE,
  );

  it(
    'adds a server, approves it, lists its tools, calls one with progress, breaks it and asks the doctor',
    async () => {
      const { terminal, workspace } = await sitDown();
      const { command, args } = everything;

      const added = await terminal.run(`fittings add everything -- ${command} ${args.join(' ')}`);
      expect(added.code).toBe(0);
      expect(added.text).toContain('Added everything');
      expect(added.text).toContain('servers.json (user)');

      // A project that was just cloned brings one as well.
      await workspace.write('.mcp.json', { mcpServers: { brought: everything } });
      const waiting = await terminal.run('fittings status');
      expect(waiting.code).toBe(1);
      expect(waiting.text).toMatch(/● {2}everything +stdio +connected +13/);
      expect(waiting.text).toMatch(/! {2}brought +stdio +needs approval/);
      expect(waiting.text).toContain('fittings approve brought');

      const approving = await terminal.start('fittings approve brought');
      await terminal.until('Allow brought to run?');
      expect(await terminal.text()).toContain(`"${args[0]}"`);
      await terminal.press('Down', 'Enter');
      expect((await approving.ended()).text).toContain('brought: approved');

      const listed = await terminal.run('fittings list tools brought');
      expect(listed.code).toBe(0);
      expect(listed.text).toMatch(/echo\(message: string\) +Echoes back the input/);

      const calling = await terminal.start(
        'fittings call brought/trigger-long-running-operation duration=4 steps=4',
      );
      await terminal.until(/█+░+ +\d+ % {2}\d of 4/);
      const called = await calling.ended();
      expect(called.code).toBe(0);
      expect(called.text).toContain('Long running operation completed');
      // The bar made room for the result.
      expect(called.text).not.toContain('█');

      await workspace.write('.mcp.json', { mcpServers: { brought: { command: 'no-such-program' } } });
      const changed = await terminal.run('fittings status brought');
      expect(changed.text).toContain('needs approval');
      const again = await terminal.start('fittings approve');
      await terminal.until('Its definition has changed since');
      await terminal.press('Down', 'Enter');
      expect((await again.ended()).code).toBe(0);
      const broken = await terminal.run('fittings status brought');
      expect(broken.code).toBe(1);
      expect(broken.text).toMatch(/✗ {2}brought +stdio +failed/);
      const examined = await terminal.run('fittings doctor brought');
      expect(examined.code).not.toBe(0);
      expect(examined.text).toContain('no-such-program');
    },
    PATIENCE,
  );

  it(
    'signs in through the browser, stays signed in, and signs out',
    async () => {
      await using guarded = await startProtectedServer();
      const { terminal } = await sitDown({ columns: 200 });
      await terminal.run(`fittings add guarded --url ${guarded.url}`);
      const before = await terminal.run('fittings --store file status');
      expect(before.code).toBe(1);
      expect(before.text).toMatch(/guarded +http +needs sign-in/);
      expect(before.text).toContain('fittings login guarded');

      const signingIn = await terminal.start('fittings --store file login guarded --method browser');
      await terminal.until('Store credentials unencrypted');
      await terminal.press('Left', 'Enter');
      await visitAs(terminal, loadPage);
      expect((await signingIn.ended()).text).toContain('Signed in to guarded: 1 tool.');

      const called = await terminal.run('fittings --store file call guarded/add a=2 b=3');
      expect(called).toMatchObject({ code: 0, text: '5\n' });
      const twice = await terminal.run('fittings --store file login guarded');
      expect(twice.text).toContain('no sign-in is required');

      expect((await terminal.run('fittings --store file logout guarded')).text).toContain(
        'Signed out of guarded.',
      );
      const after = await terminal.run('fittings --store file call guarded/add a=2 b=3');
      expect(after.code).toBe(4);
      expect(after.text).toContain('Sign in: fittings login guarded');

      // Nothing that is worth something was ever on the screen.
      const all = await terminal.text();
      for (const token of guarded.shown) expect(all).not.toContain(token);
      expect(guarded.shown.size).toBeGreaterThan(0);
    },
    PATIENCE,
  );

  it(
    'login takes the URL that bridge takes, and the sign-in of an entry stays with the entry',
    async () => {
      await using guarded = await startProtectedServer();
      const { terminal, workspace } = await sitDown({ columns: 200 });
      await terminal.run(`fittings add guarded ${guarded.url}`);
      const named = await terminal.start('fittings --store file login guarded --method browser');
      await terminal.until('Store credentials unencrypted');
      await terminal.press('Left', 'Enter');
      await visitAs(terminal, loadPage);
      expect((await named.ended()).text).toContain('Signed in to guarded: 1 tool.');

      const list = async (): Promise<Record<string, unknown>> => {
        const bridge = startBridge(['bridge', guarded.url], workspace.home, { FITTINGS_STORE: 'file' });
        onTestFinished(() => void bridge.child.kill());
        const params = {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'program', version: '1' },
        };
        bridge.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
        const answer = await bridge.next(({ id }) => id === 1);
        bridge.child.stdin.end();
        return answer;
      };
      // What was obtained for an entry is not handed out for its URL.
      expect(JSON.stringify(await list())).toContain(
        `Sign in from a terminal: fittings login ${guarded.url} --store file`,
      );

      const signingIn = await terminal.start(`fittings login ${guarded.url} --store file --method browser`);
      await visitAs(terminal, loadPage);
      expect((await signingIn.ended()).text).toContain(`Signed in to ${guarded.url}: 1 tool.`);
      expect(await list()).toMatchObject({ result: { serverInfo: { name: 'protected' } } });
      expect((await terminal.run(`fittings logout ${guarded.url}`)).text).toContain('Signed out of');
      expect(JSON.stringify(await list())).toContain('Sign in from a terminal');
    },
    PATIENCE,
  );

  it(
    'signs in without a browser: with a code, or by bringing the address back',
    async () => {
      await using guarded = await startProtectedServer();
      const { terminal } = await sitDown({ columns: 200 });
      await terminal.run(`fittings add guarded --url ${guarded.url}`);

      // Over SSH; the authorization server knows the device grant.
      const withCode = await terminal.start('SSH_TTY=/dev/pts/9 fittings --store memory login guarded');
      const text = await terminal.until('The code expires in');
      await scriptedPerson(/^ {2}(http:\S+\?user_code=\S+)$/m.exec(text)?.[1] ?? '');
      expect((await withCode.ended()).text).toContain('Signed in to guarded: 1 tool.');

      const withAddress = await terminal.start('fittings --store memory login guarded --method paste');
      await visitAs(terminal, async (address) => {
        await terminal.until('Address');
        await terminal.type('http://127.0.0.1/nonsense');
        await terminal.until('This address starts with http://127.0.0.1/nonsense');
        await terminal.type(address);
      });
      expect((await withAddress.ended()).text).toContain('Signed in to guarded: 1 tool.');
    },
    PATIENCE,
  );

  it(
    '--watch follows states and files, and leaves the terminal as it was',
    async () => {
      const { terminal, workspace } = await sitDown();
      await workspace.write('servers.json', { mcpServers: { everything } });
      const watching = await terminal.start(
        'fittings --strict-mcp-config --mcp-config servers.json status --watch',
      );
      await terminal.until(/● {2}everything +stdio +connected +13/);
      await terminal.until(/^1 server, 1 connected, 13 tools *$/m);
      await workspace.write('servers.json', {
        mcpServers: { everything, other: { command: 'no-such-program' } },
      });
      await terminal.until(/✗ {2}other +stdio +failed/);
      await workspace.write('servers.json', { mcpServers: { other: { command: 'no-such-program' } } });
      await terminal.until(/^1 server, 0 connected, 1 not usable, 0 tools *$/m);
      expect(await terminal.text()).not.toContain('● ');
      await terminal.resize(40, 4);
      await terminal.until(/… \d+ more/);
      await terminal.resize(120, 40);
      const shown = await terminal.until(/✗ {2}other +stdio +failed/);
      expect(shown.match(/^ +server +/gm)).toHaveLength(1);
      await terminal.press('C-c');
      const ended = await watching.ended();
      expect(ended.code).toBe(130);
      // The terminal showed `^C` where the message stands now.
      expect(ended.text).toMatch(/^error: Interrupted\.$/m);
      expect(ended.text.match(/^ +server +transport/gm)).toHaveLength(1);
    },
    PATIENCE,
  );

  it(
    '--watch gives the terminal back at Ctrl-Z, and goes on at fg',
    async () => {
      const { terminal, workspace } = await sitDown();
      await workspace.write('servers.json', { mcpServers: { everything } });
      const line = 'fittings --strict-mcp-config --mcp-config servers.json status --watch';
      const watching = await terminal.start(line);
      await terminal.until(/● {2}everything +stdio +connected +13/);
      await terminal.press('C-z');
      const STOPPED = 128 + 19;
      expect((await watching.ended()).code).toBe(STOPPED);
      expect(await terminal.text()).toContain(line);
      const again = await terminal.start('fg');
      await terminal.until(/● {2}everything +stdio +connected +13/);
      await terminal.press('C-c');
      expect((await again.ended()).code).toBe(130);
    },
    PATIENCE,
  );

  it(
    '--watch paints no more once it is stopped, also while a server is connecting',
    async () => {
      const { terminal, workspace } = await sitDown();
      const hang = { command: process.execPath, args: ['-e', 'setInterval(() => undefined, 1000)'] };
      await workspace.write('servers.json', { mcpServers: { hang } });
      const watching = await terminal.start(
        'fittings --strict-mcp-config --mcp-config servers.json status --watch',
      );
      await terminal.until(/◌ {2}hang +stdio +connecting/);
      await terminal.press('C-c');
      const { code, text } = await watching.ended();
      expect(code).toBe(130);
      expect(text.match(/^ +server +transport/gm)).toHaveLength(1);
    },
    PATIENCE,
  );

  it(
    'add asks for what was not said',
    async () => {
      const { terminal, workspace } = await sitDown();
      const adding = await terminal.start('fittings add');
      await terminal.until('Name of the server');
      await terminal.type('two words');
      await terminal.until('Try "two-words"');
      await terminal.press(...Array.from({ length: 9 }, () => 'BSpace'));
      await terminal.type('files');
      await terminal.until('What kind of server is it?');
      await terminal.press('Enter');
      await terminal.until('Command, as you would type it');
      await terminal.type('my-server --root "a b"');
      await terminal.until('Who is it for?');
      await terminal.press('Enter');
      expect((await adding.ended()).code).toBe(0);
      const file = join(workspace.home, '.config/mcp-fittings/servers.json');
      expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
        mcpServers: { files: { command: 'my-server', args: ['--root', 'a b'] } },
      });

      const givenUp = await terminal.start('fittings add other');
      await terminal.until('What kind of server is it?');
      await terminal.press('C-c');
      expect((await givenUp.ended()).code).toBe(130);
    },
    PATIENCE,
  );
});

/** Goes to the page that the terminal names, signs in there, and hands on the address that it ends at. */
async function visitAs(terminal: Terminal, arrive: (address: string) => Promise<void>): Promise<void> {
  const text = await terminal.until(/^ *http:\S+\/auth\?\S+/m);
  const url = /^ *(http:\S+\/auth\?\S+)/m.exec(text)?.[1] ?? '';
  const { location } = await scriptedPerson(url);
  await arrive(location ?? '');
}

async function loadPage(address: string): Promise<void> {
  const request = get(address, { headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' } });
  const [response] = await once(request, 'response');
  response.resume();
}
