import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { membersOf } from './support/members-of.js';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/host.md'), 'utf8');

/** What the page says in code: `name`, or `name(…)`. */
const named = new Set([...page.matchAll(/`([A-Za-z]+)(?:\([^`]*\))?`/g)].map(([, name]) => name ?? ''));
/** For testing, and of no use to a reader of the page. */
const LEFT_OUT = ['clock', 'random'];

it.each([
  ['host.ts', 'Host'],
  ['host-options.ts', 'HostOptions'],
  ['host.ts', 'HostEvents'],
  ['host.ts', 'CallOptions'],
  ['server-requests.ts', 'HostCallbacks'],
  ['state.ts', 'ServerSnapshot'],
])('the page of the host has every member: %s, %s', (file, name) => {
  const members = membersOf(`packages/host/src/contracts/${file}`, name);
  expect(members.length).toBeGreaterThan(2);
  expect(
    members.filter((member) => /^\w+$/.test(member) && !named.has(member) && !LEFT_OUT.includes(member)),
  ).toEqual([]);
});

it('the page of the host has every state', () => {
  const source = readFileSync(join(root, 'packages/host/src/contracts/state.ts'), 'utf8');
  const states = [...source.matchAll(/status: '([\w-]+)'/g)].map(([, status = '']) => status);
  expect(states).toHaveLength(8);
  expect(states.filter((status) => !page.includes(`| \`${status}\``))).toEqual([]);
});
