import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createHost } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bundled } from '../../../scripts/bundled.mjs';
import type { CommandDeps } from '../src/command-deps.js';
import { hostCallbacks } from '../src/commands/call.js';

const shop = await bundled(fileURLToPath(new URL('support/shop.mjs', import.meta.url)));

describe('a page that a server asks the user to visit', () => {
  let folder: string;
  let opened: string;
  /** Makes the command that opens a page: it notes the page, and visits it if it is to. */
  async function browser(code: string): Promise<void> {
    const program = join(folder, 'xdg-open');
    await writeFile(
      program,
      `#!${process.execPath}\nrequire('node:fs').appendFileSync(${JSON.stringify(opened)}, process.argv[2]);\n${code}`,
    );
    await chmod(program, 0o755);
  }
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'page-')));
    opened = join(folder, 'opened');
    vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  /** Calls the tool as a user who answers each question with these keys once it is shown. */
  async function buy(answers: Readonly<Record<string, string>>, ...args: readonly string[]) {
    const stdin = new PassThrough();
    const stderr = new PassThrough();
    let shown = '';
    const left = new Map(Object.entries(answers));
    stderr.on('data', (chunk) => {
      shown += String(chunk);
      for (const [question, keys] of left) {
        if (!shown.includes(question)) continue;
        left.delete(question);
        // A key that comes while the question is drawn is lost.
        setImmediate(() => stdin.write(keys));
      }
    });
    const notes: string[] = [];
    const plain = (text: string): string => text;
    const deps = {
      cwd: folder,
      interactive: true,
      stdin,
      stderr,
      signal: new AbortController().signal,
      output: { note: (text: string) => notes.push(text), noteStyle: { bold: plain, yellow: plain } },
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that a question to the user reads of it
    const callbacks = hostCallbacks(deps as unknown as CommandDeps, { clear: () => undefined });
    await using host = createHost({
      name: 'tests',
      version: '1.0.0',
      transports: [stdio()],
      callbacks,
    });
    await host.connect({ shop: { command: process.execPath, args: [shop, ...args] } });
    const result = await host.callTool({ server: 'shop', tool: 'buy' }).catch((error: unknown) => error);
    return { result, shown, notes: notes.join('\n'), left: [...left.keys()] };
  }
  const OPEN = 'Do you want to open this page?';
  const DONE = 'Are you done with the page?';
  const visiting = 'fetch(process.argv[2]).then((reply) => reply.text());';
  const bought = { content: [{ type: 'text', text: 'bought after 2 calls' }] };

  it('is opened after the user agreed, and the call continues when the server reports it done', async () => {
    await browser(visiting);
    const { result, notes } = await buy({ [OPEN]: '\r' });
    expect(result).toMatchObject(bought);
    const page = await readFile(opened, 'utf8');
    expect(page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pay$/);
    expect(notes).toContain(page);
  });

  it('is followed by a question if the server reports nothing', async () => {
    await browser(visiting);
    const { result, left } = await buy({ [OPEN]: '\r', [DONE]: '\r' }, 'silent');
    expect(result).toMatchObject(bought);
    expect(left).toEqual([]);
  });

  it('is not opened before the user agreed', async () => {
    await browser(visiting);
    // Down, then Enter: the second answer.
    const { result } = await buy({ [OPEN]: '\u001b[B\r' });
    expect(result).toMatchObject({ code: 'RPC_ERROR' });
    await expect(readFile(opened, 'utf8')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is shown again if no browser can be started, and the call is sent once more at most', async () => {
    await browser('process.exit(3);');
    const { result, notes } = await buy({ [OPEN]: '\r', [DONE]: '\r' }, 'silent');
    expect(result).toMatchObject({ code: 'RPC_ERROR' });
    expect(notes.match(/127\.0\.0\.1:\d+\/pay/g)?.length).toBeGreaterThan(1);
  });
});
