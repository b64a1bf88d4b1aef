import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.js';

/** The tests of the host on the oldest SDKs that its peer ranges allow; those of `npm test` are the newest. */
export default mergeConfig(
  base,
  defineConfig({
    test: {
      alias: [
        { find: /^@modelcontextprotocol\/sdk\//, replacement: 'sdk-oldest/' },
        { find: /^@modelcontextprotocol\/client(?=\/|$)/, replacement: 'client-oldest' },
      ],
    },
  }),
);
