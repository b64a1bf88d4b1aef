/** Real MCP servers from npm that start without network and without keys, and the tools that they offer. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createHost } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';

/** @import { CatalogTool } from '@mcp-fittings/host' */

/** @type {Readonly<Record<string, { package: string, args?: string[], env?: Record<string, string> }>>} */
const SERVERS = {
  everything: { package: '@modelcontextprotocol/server-everything' },
  filesystem: { package: '@modelcontextprotocol/server-filesystem', args: [import.meta.dirname] },
  memory: { package: '@modelcontextprotocol/server-memory' },
  thinking: { package: '@modelcontextprotocol/server-sequential-thinking' },
  github: { package: '@modelcontextprotocol/server-github' },
  git: { package: '@cyanheads/git-mcp-server' },
  playwright: { package: '@playwright/mcp', args: ['--caps=vision,pdf'] },
  devtools: { package: 'chrome-devtools-mcp' },
  chart: { package: '@antv/mcp-server-chart' },
  notion: { package: '@notionhq/notion-mcp-server' },
  gitlab: {
    package: '@zereight/mcp-gitlab',
    env: {
      GITLAB_PERSONAL_ACCESS_TOKEN: 'none',
      USE_GITLAB_WIKI: 'true',
      USE_MILESTONE: 'true',
      USE_PIPELINE: 'true',
    },
  },
};

/**
 * Starts every server, reads its tools, and stops it again.
 * @returns {Promise<readonly CatalogTool[]>}
 */
export async function readRealTools() {
  const host = createHost({ name: 'tools-corpus', version: '1.0.0', transports: [stdio()] });
  try {
    const entries = Object.entries(SERVERS).map(([name, { package: npmName, args = [], env = {} }]) => [
      name,
      {
        command: process.execPath,
        args: [binaryOf(npmName), ...args],
        env: { DO_NOT_TRACK: '1', CI: '1', ...env },
        stderr: 'ignore',
      },
    ]);
    const servers = await host.connect(Object.fromEntries(entries));
    for (const { name, state } of servers) {
      if (state.status !== 'connected') throw new Error(`${name} is ${state.status}`, { cause: state });
    }
    return host.tools();
  } finally {
    await host.close();
  }
}

/**
 * The program of an installed package.
 * @param {string} name
 */
export function binaryOf(name) {
  const manifest = (createRequire(import.meta.url).resolve.paths(name) ?? [])
    .map((folder) => join(folder, name, 'package.json'))
    .find((file) => existsSync(file));
  if (manifest === undefined) throw new Error(`${name} is not installed`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return join(dirname(manifest), typeof bin === 'string' ? bin : Object.values(bin)[0]);
}
