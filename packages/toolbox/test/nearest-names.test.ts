import { expect, it } from 'vitest';
import { nearestNames } from '../src/text/nearest-names.js';

it('returns at most three names, the nearest first', () => {
  const known = ['read_file', 'read_files', 'write_file', 'list', 'read_fils', 'red_file'];
  expect(nearestNames('read_fil', known)).toEqual(['read_file', 'read_files', 'read_fils']);
});

it('finds a name by its end or its beginning, and without regard to case', () => {
  expect(nearestNames('Read_File', ['mcp__fs__read_file', 'mcp__fs__stat'])).toEqual(['mcp__fs__read_file']);
  expect(nearestNames('mcp__fs__read_file', ['read_file', 'stat'])).toEqual(['read_file']);
});

it('returns nothing when no name is similar, and equal distances in alphabetical order', () => {
  expect(nearestNames('weather', ['read_file', 'x'])).toEqual([]);
  expect(nearestNames('ab', ['ac', 'aa'])).toEqual(['aa', 'ac']);
});

it('looks only at the beginning of a very long name', () => {
  expect(nearestNames('a'.repeat(10_000_000), ['a'.repeat(128)])).toEqual(['a'.repeat(128)]);
});
