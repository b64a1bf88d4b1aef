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
