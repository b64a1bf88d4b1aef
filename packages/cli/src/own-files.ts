import { readFileSync } from 'node:fs';

/** Returns the version in package.json. */
export function packageVersion(): string {
  const text = readFileSync(`${import.meta.dirname}/../package.json`, 'utf8');
  const manifest: unknown = JSON.parse(text);
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest ? String(manifest.version) : '';
}
