import { fileURLToPath } from 'node:url';
import {
  transportSuite,
  type TransportFixture,
  type TransportSetupOptions,
} from '@mcp-fittings/testkit/transport';
import { sharedStdio } from '@mcp-fittings/transport-shared';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { bundled } from '../../../scripts/bundled.mjs';
import { openSharedFolder, type SharedFolder } from './support/shared-folder.js';

const KIT_SERVER = await bundled(fileURLToPath(new URL('support/kit-server.mjs', import.meta.url)));

describe('sharedStdio() fulfills the contract of transports', () => {
  let shared: SharedFolder;
  let count = 0;
  beforeAll(async () => {
    shared = await openSharedFolder();
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  const fixture = async (
    command: string,
    { server, signal }: TransportSetupOptions,
  ): Promise<TransportFixture> => {
    const plugin = sharedStdio({ ...shared, shutdown: { afterStdinEndMs: 500, afterSigtermMs: 500 } });
    // Each case needs a peer that has not been asked anything before.
    count += 1;
    const entry = { command, args: [KIT_SERVER, String(count)] };
    const transport = plugin.create(entry, { server, signal });
    const pid = (): number => Number(transport.describe?.()['pid']);
    return {
      transport,
      killPeer: async () => void process.kill(pid(), 'SIGKILL'),
      teardown: () => transport.close(),
    };
  };
  transportSuite(
    { describe, it },
    {
      name: 'shared stdio',
      capabilities: {
        signal: true,
        serverName: true,
        garbage: ['a log line\n', '{"half": \n', '\n', '[x]\r\n'],
      },
      setup: async (options) => fixture(process.execPath, options),
      setupUnreachable: async (options) => fixture('/does/not/exist', options),
    },
  );
});
