/** Versions and publishes a copy of the tree with the commands of the release workflow, but to a registry of ours. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicPackages } from '../workspace.mjs';
import { run } from './run.mjs';

const CORE = '@mcp-fittings/client-core';

/** @returns {Promise<{ before: string, published: { folder: string, name: string, version: string }[] }>} */
export async function versionAndPublish(directory, env) {
  const here = { cwd: directory, env: { TURBO_CACHE_DIR: join(directory, '.turbo/cache') } };
  withoutProvenance(directory);
  await run('git', ['init', '--quiet', '--initial-branch=main'], here);
  await commit(directory, 'before');

  // The core as it is, so that an old and a new one can meet in one program.
  const before = versionOf(directory, CORE);
  await run('npx', ['tsc', '-b', 'packages/client-core'], here);
  await run('node', ['scripts/stage.mjs', 'client-core'], here);
  await run('npm', ['publish', './packages/client-core/publish', '--tag', 'before'], { ...here, env });
  writeFileSync(
    join(directory, '.changeset/rehearsal.md'),
    `---\n'${CORE}': minor\n---\n\nA release is rehearsed.\n`,
  );

  await run('npm', ['run', 'version'], here);
  // Nothing can be installed over the links of the copy; this compares the lock with the manifests.
  await run('npm', ['ci', '--dry-run'], here);
  await commit(directory, 'versioned');
  await run('npm', ['run', 'stage'], here);
  for (const { folder } of publicPackages(directory)) {
    const [file] = JSON.parse(await run('npm', ['pack', `./packages/${folder}/publish`, '--json'], here));
    await run('npm', ['publish', `./${file.filename}`, '--ignore-scripts'], { ...here, env });
  }

  const published = publicPackages(directory).map(({ folder, manifest: { name, version } }) => ({
    folder,
    name,
    version,
  }));
  for (const { name, version } of published) {
    const there = await run('npm', ['view', `${name}@${version}`, 'version'], { cwd: directory, env });
    if (there.trim() !== version) throw new Error(`${name}@${version} was not published.`);
  }
  return { before, published };
}

async function commit(directory, message) {
  const who = [
    '-c',
    'user.name=rehearsal',
    '-c',
    'user.email=rehearsal@localhost',
    '-c',
    'commit.gpgsign=false',
  ];
  await run('git', ['add', '--all'], { cwd: directory });
  await run('git', [...who, 'commit', '--quiet', '--no-verify', '--message', message], { cwd: directory });
}

function versionOf(directory, wanted) {
  const found = publicPackages(directory).find(({ manifest }) => manifest.name === wanted);
  return found.manifest.version;
}

/** Provenance is signed by the identity of the workflow that publishes; a rehearsal has none. */
function withoutProvenance(directory) {
  for (const { folder, manifest } of publicPackages(directory)) {
    const publishConfig = { ...manifest.publishConfig, provenance: false };
    const text = JSON.stringify({ ...manifest, publishConfig }, undefined, 2);
    writeFileSync(join(directory, 'packages', folder, 'package.json'), `${text}\n`);
  }
}
