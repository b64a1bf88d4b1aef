import { it } from 'vitest';
import { until } from './support/processes.js';
import { startToy } from './support/toy-client.js';

const KILL_SOON = { afterStdinEndMs: 10, afterSigtermMs: 100 };

it.each([
  ['notifications', `${JSON.stringify({ jsonrpc: '2.0', method: 'n', params: { a: [1, 2, 3] } })}\n`],
  ['lines that are not messages', 'x\n'],
  [
    'large messages',
    `${JSON.stringify({ jsonrpc: '2.0', method: 'n', params: { text: Array.from({ length: 100_000 }, String) } })}\n`,
  ],
])(
  'a server that floods with %s does not delay another one',
  async (_, text) => {
    await using bad = await startToy({ shutdown: KILL_SOON });
    await using good = await startToy();
    const handled = (): number => bad.messages.length + Number(bad.transport.describe()['ignoredLines']);
    void bad.ask('flood-without-end', { text });
    await until(() => handled() > 0);
    // The flood does not end, so these never would if they waited for it.
    for (let pings = 0; pings < 10; pings++) await good.result('ping');
    const before = handled();
    await until(() => handled() > before);
  },
  60_000,
);

it('a flood on stderr delays neither the messages of its server nor another server', async () => {
  let lines = 0;
  await using bad = await startToy({ stderr: () => void lines++, shutdown: KILL_SOON });
  await using good = await startToy();
  // A program of its own floods, so that the server can answer.
  const code = `const text = 'line\\n'.repeat(20_000); for (;;) require('node:fs').writeSync(2, text);`;
  await bad.result('grandchild', { code });
  await until(() => lines > 0);
  for (let pings = 0; pings < 10; pings++) await Promise.all([good.result('ping'), bad.result('ping')]);
  const before = lines;
  await until(() => lines > before);
});
