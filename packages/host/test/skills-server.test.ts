import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import {
  memorySkillFiles,
  SkillsExtension,
  type Skill as ServedSkill,
  type SkillSource,
} from '@modelcontextprotocol/server/ext/skills';
import { expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { createSkills, type SkillsOptions } from '@mcp-fittings/host/skills';
import { http } from '@mcp-fittings/transport-http';
import { testHost } from './support/calculator.js';

const CACHED = { ttlMs: 300_000, cacheScope: 'public' } as const;
const manifest = (name: string, body = 'How to.') =>
  `---\nname: ${name}\ndescription: About ${name}\n---\n${body}\n`;
const textOf = ({ bytes }: { readonly bytes: Uint8Array }) => new TextDecoder().decode(bytes);

/** A server of SDK v2 with these skills, and a host that is connected to it. */
async function served(extension: SkillsExtension, options: Partial<SkillsOptions> = {}) {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'skills', version: '1' });
    extension.attach(server);
    return server;
  });
  const serve = toNodeHandler(handler);
  const methods: string[] = [];
  const listener = createServer((request, response) => {
    methods.push(String(request.headers['mcp-method']));
    void serve(request as never, response);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
  const host = testHost([http()], { extensions: { 'io.modelcontextprotocol/skills': {} } });
  await host.connect({ docs: { url } });
  methods.length = 0;
  return {
    skills: createSkills({ host, server: 'docs', parseYaml, ...options }),
    /** The methods of the requests since the connection. */
    methods,
    async [Symbol.asyncDispose]() {
      await host.close();
      await handler.close();
      listener.closeAllConnections();
      listener.close();
    },
  };
}

const files = () => ({
  'pdf/SKILL.md': manifest('pdf'),
  'pdf/templates/invoice.md': 'An invoice.\n',
  'pdf/templates/regional/eu.md': 'An invoice of the EU.\n',
  'pdf/templates/logo.bin': new Uint8Array([0, 255, 1]),
  'zip/SKILL.md': manifest('zip'),
});

it('the skills of a server of SDK v2 are listed, gotten, read, and found by directory', async () => {
  const catalog = await SkillsExtension.load(memorySkillFiles(files()), { pageSize: 1 });
  await using server = await served(catalog);
  const { skills, methods } = server;
  expect([skills.supported, skills.supportsDirectories]).toEqual([true, true]);

  const list = await skills.list();
  expect(list.skipped).toEqual([]);
  expect(list.skills.map(({ uri }) => uri)).toEqual(['skill://pdf/SKILL.md', 'skill://zip/SKILL.md']);
  expect(methods).toEqual(['skills/list', 'skills/list']);
  const [pdf] = list.skills;
  expect(await skills.get('skill://pdf/SKILL.md')).toEqual(pdf);
  await expect(skills.get('skill://none/SKILL.md')).rejects.toMatchObject({
    code: 'RPC_ERROR',
    details: { rpcCode: -32602 },
  });

  expect(textOf(await skills.read(pdf!))).toBe(manifest('pdf'));
  expect((await skills.read(pdf!, 'skill://pdf/templates/logo.bin')).bytes).toEqual(Buffer.from([0, 255, 1]));

  const { resources, skipped } = await skills.readDirectory('skill://pdf/templates');
  expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
    ['skill://pdf/templates/invoice.md', expect.any(String)],
    ['skill://pdf/templates/logo.bin', expect.any(String)],
    ['skill://pdf/templates/regional', 'inode/directory'],
  ]);
  expect(skipped).toEqual([]);
  await expect(skills.readDirectory('skill://pdf/SKILL.md')).rejects.toMatchObject({
    code: 'RPC_ERROR',
    details: { rpcCode: -32602 },
  });
});

it('a skill that has changed is read with its new entry, though the host has kept an older file', async () => {
  const record: Record<string, string | Uint8Array> = files();
  const catalog = await SkillsExtension.load(memorySkillFiles(record), { cacheHint: CACHED });
  await using server = await served(catalog);
  const { skills, methods } = server;
  const before = await skills.get('skill://zip/SKILL.md');
  await skills.read(before);
  await skills.read(before);
  expect(methods.filter((method) => method === 'resources/read')).toHaveLength(1);

  record['zip/SKILL.md'] = manifest('zip', 'Better.');
  record['zip/EXTRA.md'] = 'More.\n';
  await catalog.reload();
  // The directory has a file that the entry does not list.
  const { resources } = await skills.readDirectory('skill://zip');
  expect(resources.map(({ name }) => name)).toContain('EXTRA.md');
  await expect(skills.read(before, 'skill://zip/EXTRA.md')).rejects.toMatchObject({
    code: 'CONTENT_UNVERIFIED',
    message: expect.stringContaining('the skill does not list it'),
  });
  const after = await skills.get('skill://zip/SKILL.md');
  expect(textOf(await skills.read(after))).toBe(manifest('zip', 'Better.'));
  expect(textOf(await skills.read(after, 'skill://zip/EXTRA.md'))).toBe('More.\n');
  await expect(skills.read(before)).rejects.toMatchObject({ code: 'CONTENT_UNVERIFIED' });
});

/** A server that generates its one skill, and lists none. */
function generated(content: Readonly<Record<string, string>>): SkillSource {
  const skill: ServedSkill = {
    uri: 'skill://reports/daily/SKILL.md',
    frontmatter: { name: 'daily', description: 'About daily' },
    resources: 'dynamic',
  };
  return {
    list: async ({ cursor }) => ({ skills: cursor === undefined ? [] : [skill] }),
    get: async (uri) => (uri === skill.uri ? skill : undefined),
    read: async (uri) => (content[uri] === undefined ? undefined : { text: content[uri] }),
    readDirectory: async (uri) =>
      uri === 'skill://reports/daily'
        ? {
            resources: Object.keys(content).map((each) => ({
              uri: each,
              name: each.split('/').at(-1) ?? '',
            })),
          }
        : undefined,
  };
}

it('a dynamic skill is used only if the program allows it, with its front matter and its size verified', async () => {
  const uri = 'skill://reports/daily/SKILL.md';
  const [data, large] = ['skill://reports/daily/data.md', 'skill://reports/daily/large.md'];
  const content = {
    [uri]: manifest('daily'),
    [data]: '1'.repeat(9 * 1024 * 1024),
    [large]: 'x'.repeat(16 * 1024 * 1024),
    'skill://reports/other/SKILL.md': manifest('other'),
  };
  const extension = new SkillsExtension({ source: generated(content) });

  await using careful = await served(extension);
  await expect(careful.skills.get(uri)).rejects.toMatchObject({
    code: 'CONTENT_UNVERIFIED',
    message: expect.stringContaining('cannot be verified'),
  });

  await using server = await served(extension, { allowDynamic: true });
  const { skills, methods } = server;
  // A skill that the server does not list.
  expect(await skills.list()).toEqual({ skills: [], skipped: [] });
  const skill = await skills.get(uri);
  expect(skill.files).toBe('dynamic');
  expect(textOf(await skills.read(skill))).toBe(manifest('daily'));
  const directory = await skills.readDirectory('skill://reports/daily');
  expect(directory.resources.map((resource) => resource.uri)).toEqual([uri, data, large]);
  expect(directory.skipped).toEqual([expect.stringContaining('skill://reports/other/SKILL.md')]);
  // A file that is read again is not another one.
  for (let times = 0; times < 2; times++)
    expect((await skills.read(skill, data)).bytes).toHaveLength(content[data]?.length ?? 0);

  methods.length = 0;
  for (const outside of ['skill://reports/other/SKILL.md', 'skill://reports/daily/%2E./other/SKILL.md'])
    await expect(skills.read(skill, outside)).rejects.toThrow('not in the directory of the skill');
  expect(methods).toEqual([]);
  await expect(skills.read(skill, large)).rejects.toThrow('more than 16777216 bytes');

  content[uri] = manifest('other');
  await expect(skills.read(skill)).rejects.toThrow('its front matter differs');
});
