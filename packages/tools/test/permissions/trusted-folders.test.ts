import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTrustedFolders } from '../../src/permissions/trusted-folders.js';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'fittings-trust-'));
  for (const folder of ['work/project/src', 'work/vendor', 'workshop']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  symlinkSync(join(root, 'workshop'), join(root, 'work/link'));
});
afterAll(() => rmSync(root, { recursive: true }));

it('the nearest folder that has an entry decides', () => {
  const folders = createTrustedFolders();
  folders.set(join(root, 'work'), 'trusted');
  folders.set(join(root, 'work/vendor'), 'untrusted');
  expect(folders.isTrusted(join(root, 'work'))).toBe(true);
  expect(folders.isTrusted(join(root, 'work/project/src'))).toBe(true);
  expect(folders.isTrusted(join(root, 'work/vendor'))).toBe(false);
  expect(folders.isTrusted(root)).toBe(false);
});

it('a common prefix, a path with "..", a relative path and a symbolic link gain no trust', () => {
  const folders = createTrustedFolders();
  folders.set(join(root, 'work'), 'trusted');
  expect(folders.isTrusted(join(root, 'workshop'))).toBe(false);
  expect(folders.isTrusted(join(root, 'work', '..', 'workshop'))).toBe(false);
  expect(folders.isTrusted(join(root, 'work/link'))).toBe(false);
  expect(folders.isTrusted(relative(process.cwd(), join(root, 'work/project')))).toBe(true);
  expect(folders.isTrusted(join(root, 'work/not/there/yet'))).toBe(true);
});

it('survives a round trip through JSON, and malformed JSON is rejected', () => {
  const folders = createTrustedFolders();
  folders.set(join(root, 'work'), 'trusted');
  const kept: unknown = JSON.parse(JSON.stringify(folders));
  expect(createTrustedFolders(kept).isTrusted(join(root, 'work/project'))).toBe(true);
  expect(createTrustedFolders().isTrusted(join(root, 'work'))).toBe(false);
  for (const broken of [null, [], { '/': 'maybe' }, 'x']) {
    expect(() => createTrustedFolders(broken)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  }
});
