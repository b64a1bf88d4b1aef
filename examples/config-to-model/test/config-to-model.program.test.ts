import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runExample } from '../../../scripts/run-example.js';

const main = join(import.meta.dirname, '../dist/main.js');

it('configuration files become tools of a model, and the program exits by itself', async () => {
  const { stdout, leftBehind } = await runExample(main);
  expect(stdout).toContain('The project configures the server "files"');
  expect(stdout).toContain('demo: connected\nfiles: connected');
  expect(stdout).toContain('skipped: write_file: The tool is on the list of denied tools');
  // An allowed tool runs without a question, another one after a question, a denied one never.
  expect(stdout).not.toMatch(/May \S*get-sum run/);
  expect(stdout).toMatch(/May \S*read_text_file run\?/);
  expect(stdout).toContain(
    'The sum of 40 and 2 is 42. | remember the milk | There is no tool named "write_file"',
  );
  expect(stdout).toContain('note.txt: remember the milk');
  if (process.platform === 'linux') expect(leftBehind()).toEqual([]);
});
