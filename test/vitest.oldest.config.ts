import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../vitest.config.js';

/** For the oldest versions that the peer ranges of `engine-sdk` and `tools` allow; `npm test` runs with the newest. */
export default mergeConfig(
  base,
  defineConfig({
    test: {
      alias: [
        { find: /^@modelcontextprotocol\/sdk\//, replacement: 'sdk-oldest/' },
        { find: /^@modelcontextprotocol\/client(?=\/|$)/, replacement: 'client-oldest' },
        { find: /^zod(?=\/|$)/, replacement: 'zod-oldest' },
      ],
    },
  }),
);
