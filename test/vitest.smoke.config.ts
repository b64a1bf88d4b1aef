import { defineConfig } from 'vitest/config';
import base from '../vitest.config.js';

const FILES = [
  'contract',
  'kit',
  'comparison',
  'comparison/*',
  'engine-suite',
  'server-everything',
  'first-hour',
];

/** What depends most on Node.js: the contract suites, comparisons with the SDKs, a host, a gateway and the CLI with real servers. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [
      `{packages,examples}/*/test/{${FILES.join()}}.test.ts`,
      'packages/gateway/test/http/gateway.test.ts',
    ],
  },
});
