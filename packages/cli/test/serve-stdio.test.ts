import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { serveStdio } from '../src/bridge/serve-stdio.js';

it.each(['end', 'close', 'error'] as const)('ends with the %s of stdin', async (event) => {
  const stdin = new PassThrough();
  const open = vi.fn<() => Promise<never>>();
  const served = serveStdio({ open, stdin, stdout: new PassThrough(), signal: new AbortController().signal });
  if (event === 'end') stdin.end();
  else stdin.destroy(event === 'error' ? new Error('gone') : undefined);
  await expect(served).resolves.toBeUndefined();
  expect(open).not.toHaveBeenCalled();
});

it('forwards each request of a batch', async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const open = () => Promise.reject(new Error('There is no server.'));
  const served = serveStdio({ open, stdin, stdout, signal: new AbortController().signal });
  const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
  stdin.write(`${JSON.stringify(batch)}\n`);
  let answers = '';
  stdout.on('data', (chunk) => (answers += String(chunk)));
  await expect.poll(() => answers.split('\n')).toHaveLength(3);
  expect(answers).toContain('"id":1');
  expect(answers).toContain('"id":2');
  stdin.end();
  await served;
});
