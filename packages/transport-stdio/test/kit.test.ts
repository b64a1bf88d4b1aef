import { transportSuite, type TestRunner } from '@mcp-fittings/testkit/transport';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';
import { describe, expect, it } from 'vitest';
import { bundled } from '../../../scripts/bundled.mjs';
import { KIT_SERVER, kitOptions } from './support/kit-options.mjs';

/** What the framing can change: how messages are cut, encoded and carried. How the process starts and ends, it can't. */
const OF_THE_FRAMING = new Set([
  'delivery',
  'requests',
  'a peer that breaks the rules',
  'size',
  'both SDKs and both protocol eras',
]);

/** Defines the groups with these names only, and notes them. */
function only(names: ReadonlySet<string>, defined: Set<string>): TestRunner {
  let depth = 0;
  return {
    it,
    describe(name, define) {
      // The first level is the suite itself.
      if (depth > 0 && !names.has(name)) return;
      if (depth > 0) defined.add(name);
      describe(name, () => {
        depth += 1;
        define();
        depth -= 1;
      });
    },
  };
}

const server = await bundled(KIT_SERVER);
transportSuite({ describe, it }, kitOptions(createStdioTransport, 'newline', server));

const defined = new Set<string>();
transportSuite(only(OF_THE_FRAMING, defined), {
  ...kitOptions(createStdioTransport, 'content-length', server),
  setupUnreachable: undefined,
});
it('the groups of the other framing are in the suite', () => {
  expect(defined).toEqual(OF_THE_FRAMING);
});
