import { expect, it } from 'vitest';
import { startToy } from './support/toy-client.js';

/** Tells of its own answers when they are handled, and of how much of a flood was handled by then. */
it.each([
  [
    'notifications',
    `${JSON.stringify({ jsonrpc: '2.0', method: 'n', params: { a: [1, 2, 3] } })}\n`,
    200_000,
  ],
  ['lines that are not messages', 'x\n', 2_000_000],
  [
    'large messages',
    `${JSON.stringify({ jsonrpc: '2.0', method: 'n', params: { text: Array.from({ length: 100_000 }, String) } })}\n`,
    30,
  ],
])(
  'a server that floods with %s does not delay another one',
  async (_, text, times) => {
    await using bad = await startToy();
    await using good = await startToy();
    let flooding = 0;
    bad.transport.onmessage = () => void flooding++;
    await good.result('ping');
    let over = false;
    const flood = bad.transport
      .send({ jsonrpc: '2.0', id: 1, method: 'flood', params: { text, times } })
      .then(() => (over = true));
    let answered = 0;
    while (!over) {
      await good.result('ping');
      answered++;
    }
    await flood;
    // Several round trips while the flood comes in, each of which takes at least two turns of the event loop.
    expect(answered).toBeGreaterThan(5);
  },
  60_000,
);

it('a flood on stderr delays neither the messages of its server nor another server', async () => {
  let lines = 0;
  await using bad = await startToy({ stderr: () => void lines++ });
  await using good = await startToy();
  const times = 300;
  const flood = bad.result('stderr', { text: 'line\n'.repeat(1000), times });
  let answered = 0;
  while (lines < times * 1000) {
    await good.result('ping');
    answered++;
  }
  await flood;
  expect(answered).toBeGreaterThan(5);
});
