import { PassThrough } from 'node:stream';
import type { ElicitationRequest } from '@mcp-fittings/host';
import { describe, expect, it } from 'vitest';
import type { CommandDeps } from '../src/command-deps.js';
import { askForServer } from '../src/prompts/elicitation.js';

/** What the person sees before they have to answer; the question itself is given up at once. */
async function shownFor(request: ElicitationRequest, server = 'asking'): Promise<string> {
  const notes: string[] = [];
  const plain = (text: string): string => text;
  const deps = {
    stdin: new PassThrough(),
    stderr: new PassThrough(),
    signal: AbortSignal.abort(),
    output: { note: (text: string) => notes.push(text), noteStyle: { bold: plain, yellow: plain } },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that a question to the person reads of it
  const person = deps as unknown as CommandDeps;
  expect(await askForServer(person, server, request, deps.signal)).toEqual({ action: 'cancel' });
  return notes.join('\n');
}

describe('a question of a server at the terminal', () => {
  it.each(['\u009d', '\u001b]0;', '\u0090', '\u202e', '\u200b', '\u{e0041}', '\ud800'])(
    'shows what follows %j',
    async (hiding) => {
      const message = `Send ${hiding}everything`;
      const form: ElicitationRequest = { mode: 'form', message, schema: {}, warnings: [message] };
      const url: ElicitationRequest = {
        mode: 'url',
        message,
        url: `https://a.example/${hiding}everything`,
        warnings: [],
      };
      for (const request of [form, url]) {
        const text = await shownFor(request, `s${hiding}`);
        expect(text.match(/everything/g)?.length).toBeGreaterThan(1);
        expect(text).not.toContain(hiding);
      }
    },
  );

  it('says how much of a long one is missing', async () => {
    const text = await shownFor({ mode: 'form', message: 'x'.repeat(10_000), schema: {}, warnings: [] });
    expect(text).toContain('… (6000 more characters)');
  });
});
