import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Output } from '../src/output/output.js';
import { errorLine, exitCodeOf } from '../src/output/error-report.js';
import { jsonText } from '../src/output/printable.js';
import { LiveRegion } from '../src/output/live-region.js';
import { progressLine } from '../src/output/progress.js';
import { createStyle, wantsColors } from '../src/output/style.js';
import { tableLines } from '../src/output/table.js';
import { fitWidth, textWidth } from '../src/output/text-width.js';
import { knownSize } from '../src/process-io.js';
import { FittingsError } from '@mcp-fittings/client-core';
import { everything, openWorkspace } from './support/workspace.js';

const plain = createStyle(false);
const colored = createStyle(true);

function sink(): { readonly stream: Writable; readonly writes: string[] } {
  const writes: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk.toString());
      done();
    },
  });
  return { stream, writes };
}

describe('a live region does not flicker', () => {
  function region(rows = 10, columns = 40) {
    const { stream, writes } = sink();
    return { live: new LiveRegion(Object.assign(stream, { columns, rows })), writes };
  }

  it('writes once a repaint, only what changed, and erases nothing before its successor', () => {
    const { live, writes } = region();
    live.paint(() => ['one', 'two', 'three']);
    live.paint(() => ['one', 'TWO', 'three']);
    expect(writes).toHaveLength(2);
    expect(writes[1]).toContain('TWO');
    expect(writes[1]).not.toMatch(/one|three/);
    for (const write of writes) {
      // Neither the screen nor a line is cleared; what is left of a longer line goes after the new one.
      for (const eraser of ['[J', '[0J', '[1J', '[2J', '[3J', '[1K', '[2K'])
        expect(write).not.toContain(`\u001b${eraser}`);
      expect(write.startsWith('\u001b[?2026h') && write.endsWith('\u001b[?2026l')).toBe(true);
    }
  });

  it('writes nothing when nothing changed', () => {
    const { live, writes } = region();
    live.paint(() => ['one']);
    live.paint(() => ['one']);
    expect(writes).toHaveLength(1);
  });

  it('takes lines away that are no more, and shows the cursor again', () => {
    const { live, writes } = region();
    live.paint(() => ['one', 'two']);
    live.paint(() => ['one']);
    expect(writes[1]).toContain('\u001b[J');
    live.clear();
    expect(writes.at(-1)).toContain('\u001b[?25h');
    live.clear();
    expect(writes).toHaveLength(3);
  });

  it('paints again when the terminal is resized, from the row where its lines now begin', () => {
    const { stream, writes } = sink();
    const terminal = Object.assign(stream, { columns: 41, rows: 20 });
    const live = new LiveRegion(terminal);
    live.paint((columns) => ['x'.repeat(columns), 'short']);
    terminal.columns = 21;
    stream.emit('resize');
    // The terminal has wrapped the first line into two.
    expect(writes[1]).toContain('\u001b[3A');
    expect(writes[1]).toContain(`\r${'x'.repeat(20)}\u001b[K\n`);
    expect(writes[1]).toContain('\u001b[J');
    live.clear();
    stream.emit('resize');
    expect(writes).toHaveLength(3);
  });

  it('never wraps and never scrolls', () => {
    const { live, writes } = region(5, 10);
    live.paint(() => ['a line that is too long', 'b', 'c', 'd', 'e']);
    expect(writes[0]).toContain('a line t…');
    expect(writes[0]).toMatch(/… 3 more[^]*e/);
    expect(writes[0]?.match(/\n/g)).toHaveLength(3);
  });
});

describe('text', () => {
  it('width counts columns: wide characters two, marks and styles none', () => {
    expect(textWidth('abc')).toBe(3);
    expect(textWidth('日本')).toBe(4);
    expect(textWidth('e\u0301')).toBe(1);
    expect(textWidth('👨‍👩‍👧 x')).toBe(4);
    expect(textWidth('\u26a0\ufe0f warn')).toBe(7);
    expect(textWidth('Step 1\ufe0f\u20e3 ok')).toBe(10);
    expect(textWidth('🇩🇪日本👍🏽')).toBe(8);
    expect(textWidth('\u0301')).toBe(0);
    expect(textWidth(colored.red('abc'))).toBe(3);
    expect(fitWidth('日本語', 4)).toBe('日…');
    expect(fitWidth('👨‍👩‍👧👨‍👩‍👧', 3)).toBe('👨‍👩‍👧…');
    expect(fitWidth(colored.red('abcdef'), 4)).toBe('\u001b[31mabc…\u001b[0m');
  });

  it('a table lines up, also with styles and wide characters', () => {
    const lines = tableLines(
      [{ title: 'a' }, { title: 'n', align: 'right' }],
      [
        ['日本', '1'],
        [colored.red('x'), '10'],
      ],
    );
    expect(lines.map((line) => textWidth(line))).toEqual([8, 8, 8]);
  });

  it('JSON is JSON, and fit for a terminal', () => {
    const value = { text: '\u001b[2J\u009b\u202e\u200b\u{e0041}\n', nested: [undefined, 1] };
    const text = jsonText(value, 2);
    expect(JSON.parse(text)).toEqual({ ...value, nested: [null, 1] });
    expect(text).not.toMatch(/[\u0080-\u009f\u202e\u200b]|\u{e0041}/u);
  });

  it('the bar says how far it is', () => {
    expect(progressLine({ progress: 1, total: 2, message: 'half' }, plain)).toBe(
      `${'█'.repeat(12)}${'░'.repeat(12)}  50 %  1 of 2  half`,
    );
    expect(progressLine({ progress: 9, total: 2 }, plain)).toContain('100 %');
    expect(progressLine({ progress: 7 }, plain)).toBe('… 7');
    expect(progressLine({ progress: -1, total: 0 }, plain)).toBe('… -1');
  });
});

describe('colors', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('terminal: %s, %j → %s', (isTerminal, env, expected) =>
    expect(wantsColors(isTerminal, env)).toBe(expected),
  );
});

describe('output', () => {
  it('hides what it was told to hide, in every stream and mode, also encoded', () => {
    const { stream, writes } = sink();
    for (const json of [true, false]) {
      const io = { stdout: stream, stderr: stream, env: {} };
      const output = new Output(io, { json, verbose: true, color: false });
      output.hide(['secret-"value"/1']);
      output.result({ a: 'secret-"value"/1' }, () => 'secret-"value"/1');
      output.event({ a: 'secret-"value"/1' }, () => encodeURIComponent('secret-"value"/1'));
      output.note('x secret-"value"/1 x');
      output.detail(Buffer.from('user:secret-"value"/1').toString('base64'));
    }
    expect(writes).toHaveLength(8);
    for (const write of writes) expect(write).toContain('[redacted]');
  });
});

it('exit codes follow what went wrong', () => {
  const code = (name: ConstructorParameters<typeof FittingsError>[0]): number =>
    exitCodeOf(new FittingsError(name, ''));
  expect([
    code('CONFIG_INVALID'),
    code('AUTH_REQUIRED'),
    code('APPROVAL_REQUIRED'),
    code('CONNECTION_REFUSED'),
    code('ABORTED'),
    code('RPC_ERROR'),
  ]).toEqual([3, 4, 5, 6, 130, 1]);
  expect(exitCodeOf(new Error('x'))).toBe(1);
});

it('the size of a terminal counts if the terminal knows it', () => {
  expect([undefined, 0, 1, 80].map(knownSize)).toEqual([undefined, undefined, 1, 80]);
});

it('a table that is too wide leaves columns out, and cuts others, but never the state', () => {
  const columns = [
    { title: 'server', atLeast: 12 },
    { title: 'transport', leaveOut: 1 },
    { title: 'state' },
    { title: 'file', leaveOut: 2, atLeast: 16 },
  ];
  const rows = [['a-name-that-is-rather-long', 'stdio', 'needs approval', '/home/ann/.config/servers.json']];
  const at = (width: number) => tableLines(columns, rows, { width })[1];
  expect(at(90)).toBe(
    'a-name-that-is-rather-long  stdio      needs approval  /home/ann/.config/servers.json',
  );
  expect(at(80)).toBe('a-name-that-is-rather-long  needs approval  /home/ann/.config/servers.json');
  expect(at(60)).toBe('a-name-that-is-rather-long  needs approval  /home/ann/.conf…');
  expect(at(50)).toBe('a-name-that-is-…  needs approval  /home/ann/.conf…');
  expect(at(40)).toBe('a-name-that-is-rather-l…  needs approval');
});

it.each([
  ['Connection refused.', 'error: gone: Connection refused.'],
  ['The server "gone" has no tool "x".', 'error: The server "gone" has no tool "x".'],
])('an error names its server once: %s', (message, line) => {
  expect(errorLine(new FittingsError('TOOL_UNKNOWN', message, { server: 'gone' }), plain)).toContain(line);
});

it('asks nothing on a terminal that cannot move its cursor', async () => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.write('.mcp.json', { mcpServers: { brought: everything } });
  const run = await workspace.fittings(['approve'], { answers: {}, env: { TERM: 'dumb' } });
  expect(run.stderr).toContain('Run this at a terminal');
  expect(run.stdout + run.stderr).not.toContain('\u001b');
});
