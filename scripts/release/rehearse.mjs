/**
 * `npm run release:rehearse`: what the last commit would publish, published to a registry on this machine, installed from
 * there by users of every kind, and run. The checkout stays as it is.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyCommitted } from '../tree-copy.mjs';
import { versionAndPublish } from './publish.mjs';
import { startRegistry } from './registry.mjs';
import { run } from './run.mjs';
import { runFullHost } from './users/full-host.mjs';
import { followReadme } from './users/readme-reader.mjs';
import { writeTransport } from './users/third-party.mjs';
import { meetTwoCores } from './users/two-cores.mjs';

const root = join(import.meta.dirname, '../..');
const AT_ONCE = 2;

/** The Node.js of the registry. */
const ownNode = join(import.meta.dirname, 'node_modules/node/bin/node');
if (!existsSync(ownNode)) {
  console.error(
    'The registry is not installed: run "npm ci --prefix scripts/release --ignore-scripts=false".',
  );
  process.exit(2);
}

const started = Date.now();
const failed = [];
const place = mkdtempSync(join(tmpdir(), 'mcp-fittings-release-'));
const tree = copyCommitted(root);
const registry = await startRegistry(join(place, 'registry'));
try {
  const { before, published } = await versionAndPublish(tree.directory, registry.env);
  console.log(
    `${seconds()} published: ${published.map(({ folder, version }) => `${folder} ${version}`).join(', ')}`,
  );

  const users = usersOf(published, before);
  await Promise.all(Array.from({ length: AT_ONCE }, () => work(users)));
} finally {
  await registry.stop();
  tree.remove();
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}
for (const { name, error } of failed) console.error(`\n--- ${name}\n${error.message.slice(0, 8000)}`);
console.log(
  `\nrehearsal: ${failed.length === 0 ? 'everything' : `all but ${failed.length}`} works (${seconds()})`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Everybody starts in an empty folder. */
function usersOf(published, before) {
  const folderOf = (name) => join(place, name.replaceAll(/\W/g, '-'));
  const example = (name) => join(tree.directory, 'examples', name);
  const { env } = registry;
  const user = (name, act) => ({ name, act: () => act(folderOf(name)) });
  const { version: host } = published.find(({ folder }) => folder === 'host');
  return [
    { name: 'the tarballs', act: () => checkTarballs(tree.directory) },
    user('a full host', (folder) => runFullHost(example('first-host'), folder, env)),
    user('a transport author', (folder) => writeTransport(example('custom-transport'), folder, env)),
    user('an old plugin in a new host', (folder) => meetTwoCores({ before, host }, folder, env)),
    user('README', (folder) =>
      followReadme({ name: 'README', readme: join(tree.directory, 'README.md') }, folder, env),
    ),
    ...published.map(({ folder: name }) => {
      const source = join(tree.directory, 'packages', name);
      const { bin = {} } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
      // The newest frameworks need Node.js 22.
      const program = name.startsWith('adapter-') ? ownNode : undefined;
      const subject = { name, readme: join(source, 'README.md'), bins: Object.keys(bin), program };
      return user(`README of ${name}`, (folder) => followReadme(subject, folder, env));
    }),
  ];
}

async function checkTarballs(directory) {
  const said = await run(process.execPath, ['scripts/check-packages.mjs'], { cwd: directory });
  return `\n${said.trim()}`;
}

async function work(users) {
  for (;;) {
    const next = users.shift();
    if (next === undefined) return;
    const { name, act } = next;
    try {
      console.log(`works   ${name.padEnd(34)} ${await act()}`);
    } catch (error) {
      failed.push({ name, error });
      console.log(`FAILS   ${name}`);
    }
  }
}

function seconds() {
  return `${((Date.now() - started) / 1000).toFixed(0)} s`;
}
