import { expect, it } from 'vitest';
import type { Logger } from '@mcp-fittings/client-core';
import { createHttpTransport } from '@mcp-fittings/transport-http';

function recorder(): { readonly lines: string[]; readonly logger: Logger } {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  return { lines, logger: { debug: log, info: log, warn: log, error: log } };
}

it.each([
  ['the logger of `network`', true, false],
  ['the logger of `network`, not another one beside it,', true, true],
  ['the logger of the transport, where `network` has none,', false, true],
])('%s gets what the network says, once', async (_, hasOwn, hasCommon) => {
  const [own, common] = [recorder(), recorder()];
  const transport = createHttpTransport({
    // Not encrypted, which is warned of before anything is sent.
    url: 'http://mcp.example/api',
    ...(hasOwn && { network: { logger: own.logger } }),
    ...(hasCommon && { logger: common.logger }),
  });
  const created = [own.lines.length, common.lines.length];
  await transport.start();
  await transport.close();
  expect([...own.lines, ...common.lines]).toEqual([expect.stringContaining('not encrypted')]);
  expect(created).toEqual(hasOwn ? [1, 0] : [0, 1]);
});
