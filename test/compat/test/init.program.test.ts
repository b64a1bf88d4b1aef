import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWorkspace } from '../../../packages/cli/test/support/workspace.js';
import { startModelStandIn } from './support/model-stand-in.js';
import { createReaderProject } from './support/reader-project.js';

const KEYS = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' };
const programs = (['anthropic', 'openai'] as const).flatMap((model) =>
  [[], ['--typescript']].map((flags) => ({ model, flags })),
);

interface Written {
  readonly install: readonly string[];
  readonly run: string;
}

describe.each(programs)('the program of fittings init --model $model $flags', ({ model, flags }) => {
  it('lists the tools without a key, and lets the model use them with one', async () => {
    await using workspace = await openWorkspace({ here: true });
    const { value } = await workspace.json(['init', '--model', model, ...flags]);
    const { install, run } = value as Written;
    const name = flags.length === 0 ? 'agent.mjs' : 'agent.mts';
    const text = await readFile(join(workspace.project, name), 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(run).toContain(` ${name} `);

    await using project = await createReaderProject({
      manifest: JSON.parse(await readFile(join(workspace.project, 'package.json'), 'utf8')) as object,
      typescript: 'typescript',
    });
    await project.save(name, text);
    await project.type(install.join('\n'));
    // Types are what TypeScript 5 and newer want of a new project, and what it compiles to runs on every Node.js.
    if (flags.length > 0) await project.type('npx tsc');

    const settings = `export HOME="$PWD/.." FITTINGS_STORE=memory`;
    const listed = await project.type(`${settings}\nunset ${KEYS[model]}\nnode agent.mjs`);
    expect(listed).toContain('mcp__demo__get-sum\n');
    expect(listed).toContain(`Set ${KEYS[model]} `);

    await using api = await startModelStandIn([
      { name: 'mcp__demo__get-sum', args: { a: 4711, b: 1089 } },
      { name: 'mcp__demo__echo', args: { message: 'not allowed by the entry, and no one can be asked' } },
    ]);
    const variables = Object.entries(api.env).filter(([key]) => /_(BASE_URL|API_KEY)$/.test(key));
    const exports = variables.map(([key, variable]) => `export ${key}='${variable ?? ''}'`).join('\n');
    const said = await project.type(`${settings}\n${exports}\nnode agent.mjs what is it </dev/null`);
    expect(api.refusals).toEqual([]);
    expect(said).toContain('The tool said: The sum of 4711 and 1089 is 5800.');
    expect(api.requests.map(({ results }) => results.map((each) => each.text))).toEqual([
      [],
      ['The sum of 4711 and 1089 is 5800.', expect.stringContaining('declined')],
    ]);
  });
});

describe('fittings init', () => {
  it('changes no file that exists', async () => {
    await using workspace = await openWorkspace({ here: true });
    await workspace.write('package.json', '{ "name": "mine" }');
    expect((await workspace.json(['init', '--model', 'openai'])).value).toMatchObject({
      files: [join(workspace.project, 'agent.mjs')],
    });
    expect(await readFile(join(workspace.project, 'package.json'), 'utf8')).toBe('{ "name": "mine" }');
    await workspace.write('agent.mjs', 'mine');
    const { code, value } = await workspace.json(['init', '--model', 'openai']);
    expect({ code, value }).toMatchObject({ code: 3, value: { error: { code: 'CONFIG_READ_ONLY' } } });
    expect(await readFile(join(workspace.project, 'agent.mjs'), 'utf8')).toBe('mine');
  });

  it('writes nothing without a model', async () => {
    await using workspace = await openWorkspace({ here: true });
    expect(await workspace.fittings(['init'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('fittings init --model anthropic') as string,
    });
    expect(await readdir(workspace.project)).toEqual(['.git']);
  });
});
