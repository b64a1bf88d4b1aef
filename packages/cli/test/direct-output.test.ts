import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';

// Each starts a process; on a loaded machine that takes its time.
vi.setConfig({ testTimeout: 60_000 });

const dist = (file: string): string =>
  JSON.stringify(fileURLToPath(new URL(`../dist/${file}`, import.meta.url)));
const DIRECT = `import { directOutput } from ${dist('output/direct-output.js')};`;
/** Longer than a pipe or a socket takes at once. */
const LONG = 600_000;
const TEXTS = `for (const letter of 'abc') stdout.write(letter.repeat(${LONG}));`;
const ALL = ['a', 'b', 'c'].map((letter) => letter.repeat(LONG)).join('');

function start(program: string) {
  return spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a program through a pipe of the shell, and returns what came out of it. */
function throughPipe(program: string): Promise<string> {
  const args = ['-c', '"$0" --input-type=module -e "$1" | (sleep 0.5; cat)', process.execPath, program];
  return text(spawn('bash', args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout);
}

it('writes everything in its order, whether the pipe blocks or not, and opens no stream if it does', async () => {
  const opened = `process.on('exit', () => console.error(process.moduleLoadList.includes('NativeModule net')));`;
  const child = start(`${DIRECT}${opened} const stdout = directOutput(1); stdout.write('short');`);
  expect(await Promise.all([text(child.stdout), text(child.stderr)])).toEqual(['short', 'false\n']);
  expect(await throughPipe(`${DIRECT} const stdout = directOutput(1); ${TEXTS}`)).toBe(ALL);
  // To open the stream of a pipe makes the pipe one that does not block.
  expect(await throughPipe(`${DIRECT} process.stdout; const stdout = directOutput(1); ${TEXTS}`)).toBe(ALL);
});

it('says nothing when its reader has closed the pipe', async () => {
  const child = start(`${DIRECT} const stdout = directOutput(1); ${TEXTS}`);
  child.stdout.destroy();
  const [[code], notes] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  expect({ code, notes }).toEqual({ code: 0, notes: '' });
});

it('a command that has ended waits until a slow reader has read its output', async () => {
  const child = start(`import { watchProcessStop } from ${dist('process-end.js')};
    const stop = watchProcessStop();
    stop.watchOutput();
    const { stdout } = process;
    ${TEXTS}
    stop.end(3);
    console.error('ended');`);
  const closed = once(child, 'close');
  await once(child.stderr, 'data');
  // Longer than a process may stay alive whose output was read.
  await setTimeout(2_500);
  const [[code], output] = await Promise.all([closed, text(child.stdout)]);
  expect(code).toBe(3);
  expect(output).toBe(ALL);
});

it('says nothing when the reader of a command that has ended closes the pipe', async () => {
  const child = start(`import { watchProcessStop } from ${dist('process-end.js')};
    const stop = watchProcessStop();
    stop.watchOutput();
    process.stdout.write('a'.repeat(${LONG}));
    stop.end(3);
    stop[Symbol.dispose]();
    console.error('ended');`);
  const notes = text(child.stderr);
  await once(child.stdout, 'readable');
  child.stdout.destroy();
  expect((await once(child, 'close'))[0]).toBe(3);
  expect(await notes).toBe('ended\n');
});

it('a command that has ended does not wait for what is left to do for long', async () => {
  const child = start(`import { watchProcessStop } from ${dist('process-end.js')};
    const stop = watchProcessStop();
    stop.end(3);
    setInterval(() => undefined, 1000);`);
  expect((await once(child, 'close'))[0]).toBe(3);
});
