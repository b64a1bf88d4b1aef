import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runExample } from '../../../scripts/run-example.js';

const main = join(import.meta.dirname, '../dist/main.js');

it('an agent completes its task with every naming strategy, exits by itself and leaves no process', async () => {
  const { stdout, leftBehind } = await runExample(main);
  const hosts = stdout.trim().split('\n\n');
  expect(
    hosts.map((text) =>
      text
        .split('\n')
        .find((line) => /read_text_file/.test(line))
        ?.trim(),
    ),
  ).toEqual([
    'notes__read_text_file: remember the milk',
    'mcp_notes_read_text_file: remember the milk',
    'mcp__notes__read_text_file: remember the milk',
    'notes__read_text_file: remember the milk',
    'mcp__notes__read_text_file: remember the milk',
    'read_text_file_at_notes: remember the milk',
  ]);
  for (const text of hosts) {
    expect(text).toMatch(/get-sum\S*: There is no tool named "\S+"\. Did you mean "\S*get-sum/);
    expect(text).toMatch(/get-sum\S*: The arguments of \S+ are invalid: a: .*expected number/);
    expect(text).toMatch(/get-sum\S*: The sum of 40 and 2 is 42\./);
    expect(text).toMatch(
      /write_file\S*: The policy denies the call of \S+: The tool is on the list of denied tools/,
    );
    expect(text).toContain('→ The note says "remember the milk". I may not change it.');
  }
  if (process.platform === 'linux') expect(leftBehind()).toEqual([]);
});
