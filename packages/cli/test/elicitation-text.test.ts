import { PassThrough } from 'node:stream';
import type { ElicitationRequest } from '@mcp-fittings/host';
import { describe, expect, it } from 'vitest';
import type { CommandDeps } from '../src/command-deps.js';
import { askForServer } from '../src/prompts/elicitation.js';

function personAt(stdin: PassThrough, stderr: PassThrough, signal: AbortSignal) {
  const notes: string[] = [];
  const plain = (text: string): string => text;
  const output = { note: (text: string) => notes.push(text), noteStyle: { bold: plain, yellow: plain } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that a question to the person reads of it
  return { person: { stdin, stderr, signal, output } as unknown as CommandDeps, notes };
}

/** What the person sees before they have to answer; the question itself is given up at once. */
async function shownFor(request: ElicitationRequest, server = 'asking'): Promise<string> {
  const { person, notes } = personAt(new PassThrough(), new PassThrough(), AbortSignal.abort());
  expect(await askForServer(person, server, request, person.signal)).toEqual({ action: 'cancel' });
  return notes.join('\n');
}

/** Presses Enter at each question. Returns what is sent, and what the person sees. */
async function accepted(properties: Readonly<Record<string, object>>) {
  const stdin = new PassThrough();
  const stderr = new PassThrough();
  const left = new Set(['Do you want to answer', ...Object.keys(properties)]);
  let shown = '';
  stderr.on('data', (chunk) => {
    shown += String(chunk);
    for (const question of left) {
      if (!String(chunk).includes(question)) continue;
      left.delete(question);
      // A key that comes while the question is drawn is lost.
      setImmediate(() => stdin.write('\r'));
    }
  });
  const request: ElicitationRequest = {
    mode: 'form',
    message: 'Where?',
    schema: { properties },
    warnings: [],
  };
  const { person } = personAt(stdin, stderr, new AbortController().signal);
  const answer = await askForServer(person, 'asking', request, person.signal);
  return { content: 'content' in answer ? answer.content : undefined, shown };
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

  it('offers the default of a field', async () => {
    const properties = { City: { type: 'string', default: 'Rome' }, Street: { type: 'string' } };
    expect((await accepted(properties)).content).toEqual({ City: 'Rome' });
  });

  it.each([
    { enum: [7, 'rm', 'mi'], enumNames: ['Seven', 'Rome', 'Milan'] },
    { oneOf: [{ const: 7 }, { const: 'rm', title: 'Rome' }, { const: 'mi', title: 'Milan' }] },
  ])('offers the choices of a field, with their names: %j', async (field) => {
    const { content, shown } = await accepted({ City: { type: 'string', ...field } });
    expect(content).toEqual({ City: 'rm' });
    expect(shown).toMatch(/Rome[^]*Milan/);
    expect(shown).not.toContain('Seven');
  });

  it('says how much of a long one is missing', async () => {
    const text = await shownFor({ mode: 'form', message: 'x'.repeat(10_000), schema: {}, warnings: [] });
    expect(text).toContain('… (6000 more characters)');
  });
});
