/**
 * The client under test, made of our public packages only: `node test/conformance/client.mjs <server-url>` after a build.
 * The tool says by environment variables what it wants: the scenario, its data, and the revision to speak.
 */
import { scenarios } from './scenarios.mjs';

const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const url = process.argv[2];
const run = scenarios[scenario];

if (url === undefined || run === undefined) {
  console.error(
    `usage: client.mjs <server-url>, with one of these as MCP_CONFORMANCE_SCENARIO:\n${Object.keys(scenarios).join('\n')}`,
  );
  process.exitCode = 2;
} else {
  await run({ url, context: JSON.parse(context) });
}
