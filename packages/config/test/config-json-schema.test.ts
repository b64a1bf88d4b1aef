import { Ajv } from 'ajv';
import { readFile } from 'node:fs/promises';
import type { TransportPlugin } from '@mcp-fittings/client-core';
import { count, described, entrySchema as fields, required, text } from '@mcp-fittings/toolbox/entries';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from '../src/entry/config-json-schema.js';
import { suggestServerName, checkServerName } from '../src/server-names.js';

const plugin = (
  type: string,
  schema: TransportPlugin['schema'],
  aliases?: readonly string[],
): TransportPlugin => ({
  specVersion: 1,
  type,
  aliases,
  schema,
  create: () => expect.fail('no transport is made'),
});
const plugins = [
  plugin(
    'stdio',
    fields({ command: required(described('The program.', text({ minLength: 1 }))), killAfterMs: count() }),
  ),
  plugin('http', fields({ url: required(text()), maxBytes: count({ max: 10 }) })),
  plugin('pipe', fields({ path: required(text()) }), ['fifo']),
  plugin('opaque', { '~standard': { version: 1, vendor: 'x', validate: (value) => ({ value }) } }),
];
const schema = configJsonSchema({ plugins, id: 'https://schemas.example/mcp.json' });
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
const check = (entry: unknown, name = 's'): boolean => validate({ mcpServers: { [name]: entry } });

describe('configJsonSchema', () => {
  it('is draft 7 and has an $id', () => {
    expect(schema).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://schemas.example/mcp.json',
      type: 'object',
    });
    expect(JSON.stringify(schema)).not.toContain('~standard');
  });

  it.each([
    [{ command: 'x' }, true],
    [{ command: 'x', args: ['${A}'], env: { A: 'b' }, disabled: true, anything: { else: 1 } }, true],
    [{ type: 'stdio', command: 'x', killAfterMs: 5 }, true],
    [{ url: 'https://x.example/${A:-b}', oauth: { callbackPort: 8080, xaa: true } }, true],
    [{ url: 'x', oauth: { xaa: true, identityProvider: { issuer: 'https://idp.example' } } }, true],
    [{ url: 'x', oauth: { xaa: true, identityProvider: { issuer: 7 } } }, false],
    [{ type: 'streamable-http', url: 'x' }, true],
    [{ type: 'fifo', path: '/x' }, true],
    [{ type: 'opaque' }, true],
    [{}, false],
    [{ args: ['x'] }, false],
    [{ command: 7 }, false],
    [{ command: 'x', killAfterMs: 'soon' }, false],
    [{ type: 'stdio' }, false],
    [{ url: 'x', maxBytes: 11 }, false],
    [{ type: 'pipe' }, false],
    [{ type: 'pigeon', url: 'x' }, false],
    [{ command: 'x', writePermission: 'maybe' }, false],
    [{ command: 'x', oauth: { callbackPort: 70_000 } }, false],
  ])('%j: %j', (entry, valid) => {
    expect(check(entry)).toBe(valid);
  });

  it('contains the rule for names', () => {
    for (const name of ['good', 'a.b-c_d', 'a__b', 'a_', 'my server', 'x'.repeat(65)]) {
      expect(check({ command: 'x' }, name)).toBe(checkServerName(name) === undefined);
    }
    expect(suggestServerName('my server')).toBe('my-server');
  });

  it('permits other settings beside the servers', () => {
    expect(validate({ $schema: './mcp.schema.json', theme: 'dark', mcpServers: {} })).toBe(true);
    expect(validate({ mcpServers: [] })).toBe(false);
  });

  it('describes each field', () => {
    const written = JSON.stringify(schema);
    expect(written).toContain('The program.');
    expect(written).toContain('"description":"MCP servers by name."');
  });

  it('works without plugins, and with one that has no JSON Schema', () => {
    const bare = new Ajv({ strict: false }).compile(configJsonSchema());
    expect(bare({ mcpServers: { s: { type: 'anything', x: 1 } } })).toBe(true);
    const failing = plugin('f', {
      '~standard': {
        version: 1,
        vendor: 'x',
        validate: (value) => ({ value }),
        jsonSchema: {
          input: () => {
            throw new Error('unsupported');
          },
        },
      },
    });
    expect(() => configJsonSchema({ plugins: [failing] })).not.toThrow();
  });

  it('the fixture of Claude Code is valid', async () => {
    const content = await readFile(new URL('fixtures/clients/claude-code.json', import.meta.url), 'utf8');
    expect(validate(JSON.parse(content))).toBe(true);
  });
});
