import { FittingsError } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { layouts } from '../src/layout/built-in-layouts.js';
import { defineLayout } from '../src/layout/layout.js';
import type { LoadConfigOptions } from '../src/load/load-config.js';
import type { InputQuestion } from '../src/variables/inputs.js';
import { plugins } from './support/plugins.js';
import { answering, scratch } from './support/scratch.js';

const KEY = { type: 'promptString', id: 'api-key', description: 'Your key', password: true };
const server = { command: 'x', env: { KEY: '${input:api-key}' } };

/** Loads a file of the user with these inputs and servers; each question gets the answer, and is noted. */
async function load(
  file: { readonly inputs?: unknown; readonly mcpServers: object },
  answer: string | null | Error = 'the-value',
  options: Partial<LoadConfigOptions> = {},
) {
  const place = await scratch({ 'home/.claude.json': file });
  const questions: InputQuestion[] = [];
  const askInput = async (question: InputQuestion): Promise<string | undefined> => {
    questions.push(question);
    if (answer instanceof Error) throw answer;
    return answer ?? undefined;
  };
  const config = await place.load({ layout: layouts.claude, plugins, askInput, ...options });
  return { place, config, questions };
}

describe('an input', () => {
  it('has the value that the user gives, in every field, and is asked for once for each server', async () => {
    const args = ['--key=${input:api-key}', '${input:api-key}${HOME}'];
    const headers = { Authorization: 'Bearer ${input:api-key}' };
    const mcpServers = { a: { ...server, args }, b: { url: 'https://x.example', headers } };
    const { config, questions, place } = await load({ inputs: [KEY], mcpServers }, '${HOME}$HOME', {
      env: { HOME: '/h' },
    });
    expect(config.problems).toEqual([]);
    expect(config.servers).toMatchObject({
      a: { env: { KEY: '${HOME}$HOME' }, args: ['--key=${HOME}$HOME', '${HOME}$HOME/h'] },
      b: { headers: { Authorization: 'Bearer ${HOME}$HOME' } },
    });
    const { type: _, ...asked } = KEY;
    const about = { file: place.path('home/.claude.json'), mayAsk: true };
    expect(questions).toEqual([
      { ...asked, ...about, id: 'api-key', server: 'a', identity: config.identities['a'] },
      { ...asked, ...about, id: 'api-key', server: 'b', identity: config.identities['b'] },
    ]);
  });

  it('is a choice with labels, or a text with a default; what a terminal would act on is removed', async () => {
    const inputs = [
      {
        type: 'pickString',
        id: 'env',
        options: ['dev', { label: 'Live\u001b[31m', value: 'prod' }],
        default: 'dev',
      },
      { type: 'promptString', id: 'api-key', description: 'Type\n\u001b]0;x\u0007it\u202e', default: 'd' },
      { type: 'promptString', id: 'bad', default: 'd\u001b]0;x\u0007\r' },
      { type: 'promptString', id: 'api-key', description: 'another' },
    ];
    const mcpServers = { a: { args: ['${input:env}', '${input:bad}'], ...server } };
    const { questions } = await load({ inputs, mcpServers }, 'prod');
    expect(questions).toMatchObject([
      {
        id: 'env',
        description: 'env',
        default: 'dev',
        options: [
          { value: 'dev', label: 'dev' },
          { value: 'prod', label: 'Live' },
        ],
      },
      { id: 'bad', description: 'bad' },
      { id: 'api-key', description: 'Type it', default: 'd', password: false },
    ]);
    expect(questions[1]).not.toHaveProperty('default');
  });

  it('is read beside the servers, wherever these are', async () => {
    const sources = [
      { scope: 'user', base: 'home', path: 'settings.json', servers: [['mcp', 'servers']] },
    ] as const;
    const place = await scratch({ 'home/settings.json': { mcp: { inputs: [KEY], servers: { a: server } } } });
    const layout = defineLayout({ name: 'mine', sources });
    const config = await place.load({ layout, askInput: async () => 'the-value' });
    expect(config.servers['a']).toMatchObject({ env: { KEY: 'the-value' } });
  });

  const choice = { type: 'pickString', id: 'api-key', options: ['one'] };
  it.each([
    [
      'there is no callback',
      [KEY],
      { askInput: undefined },
      'the-value',
      /has no value\.$/,
      /fittings login a$/,
    ],
    ['there is no answer', [KEY], {}, null, /has no value\.$/, /fittings login a$/],
    ['the answer is empty', [KEY], {}, '', /has no value/, /fittings login a$/],
    [
      'asking fails',
      [KEY],
      {},
      new Error('No\u001b[2J one.'),
      /has no value \(No one\)\.$/,
      /fittings login a$/,
    ],
    ['the answer is not an option', [choice], {}, 'two', /not one of its options/, /fittings login a$/],
    ['the answer is too long', [KEY], {}, 'x'.repeat(32_769), /too long/, /fittings login a$/],
    ['it is not defined', undefined, {}, 'v', /is not defined\.$/, /"inputs".*"id":"api-key"/],
    ['its list is an object', { id: 'api-key' }, {}, 'v', /is not defined\.$/, /"inputs"/],
    ['it is a command', [{ ...KEY, type: 'command' }], {}, 'v', /has the type "command"/, /promptString/],
    ['it has no options', [{ ...choice, options: [7] }], {}, 'v', /has no options/, /pickString/],
  ])('keeps its server from being used if %s', async (_if, inputs, options, answer, message, hint) => {
    const { config } = await load(
      { inputs, mcpServers: { a: server, b: { command: 'y' } } },
      answer,
      options,
    );
    expect(Object.keys(config.servers)).toEqual(['b']);
    expect(config.problems).toMatchObject([
      { code: 'VARIABLE_MISSING', severity: 'error', server: 'a', path: 'env.KEY' },
    ]);
    expect(config.problems[0]?.message).toMatch(message);
    expect(config.problems[0]?.hint).toMatch(hint);
  });

  it('also keeps it from being used if other missing variables are empty or kept', async () => {
    for (const missingVariables of ['empty', 'keep'] as const) {
      const { config } = await load({ inputs: [KEY], mcpServers: { a: server } }, null, {
        missingVariables,
      });
      expect(config.servers).toEqual({});
    }
  });

  it('aborts loading if the user interrupts the question', async () => {
    const interrupted = new FittingsError('ABORTED', 'Interrupted.');
    await expect(load({ inputs: [KEY], mcpServers: { a: server } }, interrupted)).rejects.toBe(interrupted);
  });

  it('of a server that is switched off is not asked for', async () => {
    const mcpServers = { a: { ...server, disabled: true } };
    const { config, questions } = await load({ inputs: [KEY], mcpServers }, null);
    expect(questions).toMatchObject([{ mayAsk: false }]);
    expect(config.entries).toMatchObject([{ status: 'ready', config: { disabled: true } }]);
    expect(config.problems).toMatchObject([{ severity: 'info' }]);
  });

  it('does not appear in the problem of an invalid field', async () => {
    const mcpServers = { a: { url: 'https://x.example', proxy: '${input:api-key}' } };
    const { config } = await load({ inputs: [KEY], mcpServers }, 'the secret value');
    expect(config.problems).toMatchObject([{ code: 'FIELD_INVALID' }]);
    expect(JSON.stringify(config.problems)).not.toContain('the secret value');
  });
});

describe('an input of a project', () => {
  const file = { inputs: [KEY], mcpServers: { a: server } };

  it('is asked for after the approval', async () => {
    const place = await scratch({ 'project/.mcp.json': file });
    const questions: InputQuestion[] = [];
    const options = {
      layout: layouts.claude,
      askInput: async (question: InputQuestion) => {
        questions.push(question);
        return 'the-value';
      },
    };
    expect((await place.load(options)).entries).toMatchObject([{ status: 'pending' }]);
    expect(questions).toEqual([]);
    const { servers } = await place.load({ ...options, approvals: answering('once') });
    expect(servers['a']).toMatchObject({ env: { KEY: 'the-value' } });
  });

  it('cannot be its command', async () => {
    const mcpServers = { a: { command: '${input:api-key}' } };
    const place = await scratch({ 'project/.mcp.json': { inputs: [KEY], mcpServers } });
    const config = await place.load({ layout: layouts.claude, approvals: answering('once') });
    expect(config.problems).toMatchObject([{ code: 'VARIABLE_REFUSED', path: 'command' }]);
  });
});

it('a remote list cannot ask the user for anything', async () => {
  const remote = { a: { url: 'https://x.example', headers: { A: '${input:api-key}' } } };
  const { config, questions } = await load({ inputs: [KEY], mcpServers: {} }, 'v', { remote });
  expect(config.servers).toEqual({});
  expect(questions).toEqual([]);
});
