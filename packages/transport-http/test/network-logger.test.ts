import { expect, it } from 'vitest';
import type { Logger } from '@mcp-fittings/client-core';
import { createHttpTransport } from '@mcp-fittings/transport-http';

function recorder(): { readonly lines: string[]; readonly logger: Logger } {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  return { lines, logger: { debug: log, info: log, warn: log, error: log } };
}

/** Not encrypted, which is warned of before anything is sent. */
const url = 'http://mcp.example/api';

it.each([true, false])(
  'the logger of `network` gets what the network says, another one beside it: %s',
  async (both) => {
    const own = recorder();
    const common = recorder();
    const transport = createHttpTransport({
      url,
      network: { logger: own.logger },
      ...(both && { logger: common.logger }),
    });
    expect(own.lines.join()).toContain('not encrypted');
    expect(common.lines).toEqual([]);
    await transport.close();
  },
);

it('without one of its own the network uses that of the transport', async () => {
  const common = recorder();
  const transport = createHttpTransport({ url, logger: common.logger });
  expect(common.lines.join()).toContain('not encrypted');
  await transport.close();
});

it('a warning comes once, when the transport is created', async () => {
  const own = recorder();
  const transport = createHttpTransport({ url, network: { logger: own.logger } });
  expect(own.lines).toHaveLength(1);
  await transport.start();
  await transport.close();
  expect(own.lines).toHaveLength(1);
});
