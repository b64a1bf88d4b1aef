import { defineConfig } from 'vitest/config';
import base from '../vitest.config.js';

const STDIO = [
  'answered-id',
  'environment',
  'failure-excerpt',
  'framing',
  'plugin',
  'process-exit',
  'program',
  'sdk-clients',
  'shutdown',
  'start-failure',
  'stderr',
  'windows',
];

/**
 * The tests of what differs between operating systems: processes, files and their modes, keychains, addresses, a browser. They run on
 * Windows and macOS, and under Wine on Linux; one that holds on some systems only says so itself.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [
      'packages/toolbox/test/*.test.ts',
      `packages/transport-stdio/test/{${STDIO.join()}}.test.ts`,
      'packages/config/test/*.test.ts',
      'packages/store-file/test/{encryption,memory-store,plaintext-consent,secrets}.test.ts',
      'packages/store-keychain/test/{contract-memory,credential-manager}.test.ts',
      'packages/auth-oauth/test/{interactions,loopback,loopback-hostile}.test.ts',
      'packages/transport-http/test/{kit,sockets}.test.ts',
      'packages/transport-ws/test/contract.test.ts',
      'packages/gateway/test/pipes/windows-pipe.test.ts',
      'packages/cli/test/windows.test.ts',
    ],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
