/** Sizes of what a user bundles and installs, with their budgets: bytes as kB of 1000. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const HOST = "import { createHost } from '@mcp-fittings/host';";
const BUNDLES = [
  [
    'host and stdio',
    `${HOST} import { stdio } from '@mcp-fittings/transport-stdio'; console.log(createHost, stdio);`,
    60,
  ],
  [
    'host and HTTP',
    `${HOST} import { http } from '@mcp-fittings/transport-http'; console.log(createHost, http);`,
    175,
  ],
  [
    'host and HTTP by fetch',
    `${HOST} import { http } from '@mcp-fittings/transport-http/fetch'; console.log(createHost, http);`,
    70,
    'browser',
  ],
  [
    'host, HTTP and sign-in by fetch',
    `${HOST} import { http } from '@mcp-fittings/transport-http/fetch'; import { createOAuthProvider } from '@mcp-fittings/auth-oauth/fetch'; console.log(createHost, http, createOAuthProvider);`,
    98,
    'browser',
  ],
];
const CLI_KB = 2500;

/** @returns {Promise<{ what: string, kb: number, budget: number }[]>} */
export async function measureSizes(installed) {
  const bundles = BUNDLES.map(async ([what, contents, budget, platform = 'node']) => {
    const stdin = { contents, resolveDir: installed };
    const options = { bundle: true, minify: true, platform, format: 'esm', write: false };
    const { outputFiles } = await build({ stdin, ...options, logLevel: 'error' });
    return { what: `${what}, bundled and gzipped`, kb: kb(gzipSync(outputFiles[0].contents).length), budget };
  });
  const cli = join(installed, 'node_modules/@mcp-fittings/cli');
  const files = readdirSync(cli, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return [
    ...(await Promise.all(bundles)),
    { what: 'the package of the CLI, unpacked', kb: kb(bytes), budget: CLI_KB },
  ];
}

function kb(bytes) {
  return Math.ceil(bytes / 1000);
}
