/** The packages of this workspace, as their manifests describe them. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Every folder of `packages/` with its manifest, sorted by name. */
export function readManifests(root) {
  return readdirSync(join(root, 'packages'))
    .toSorted()
    .map((folder) => ({ folder, file: join(root, 'packages', folder, 'package.json') }))
    .filter(({ file }) => existsSync(file))
    .map(({ folder, file }) => ({ folder, manifest: JSON.parse(readFileSync(file, 'utf8')) }));
}

/** Those that npm would publish. */
export function publicPackages(root) {
  return readManifests(root).filter(({ manifest }) => manifest.private !== true);
}

/** Every entry point with types, `.` and subpaths: what users can import. */
export function entryPoints(root) {
  return publicPackages(root).flatMap(({ folder, manifest }) =>
    Object.entries(manifest.exports ?? {})
      .filter(([, target]) => typeof target === 'object' && target.types !== undefined)
      .map(([subpath, { types }]) => ({
        folder,
        name: subpath === '.' ? folder : `${folder}.${subpath.slice(2).replaceAll('/', '.')}`,
        types: join(root, 'packages', folder, types),
      })),
  );
}
