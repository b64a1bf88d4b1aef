import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { createSkills } from '@mcp-fittings/host/skills';
import type { Host } from '@mcp-fittings/host';

const files: Record<string, string> = {
  'skill://pdf/SKILL.md': '---\nname: pdf\ndescription: Reads PDF files\n---\nHow to.\n',
  'skill://pdf/FORMS.md': 'More.\n',
};
const entryOf = (uri: string) => ({
  uri,
  digest: `sha256:${createHash('sha256').update(files[uri]!).digest('hex')}`,
  size: Buffer.byteLength(files[uri]!),
});
const listed = {
  uri: 'skill://pdf/SKILL.md',
  frontmatter: { description: 'Reads PDF files', name: 'pdf' },
  resources: Object.keys(files).map(entryOf),
};

/** A host whose one server lists these entries and serves these files. */
function skillsOf(
  entries: readonly unknown[],
  served: Record<string, string> = files,
  extensions: object = {},
) {
  const reads: string[] = [];
  const host = {
    server: () => ({
      state: {
        status: 'connected',
        connection: { capabilities: { extensions: { 'io.modelcontextprotocol/skills': {}, ...extensions } } },
      },
    }),
    request: async () => ({ skills: entries }),
    readResource: async ({ uri }: { uri: string }) => {
      reads.push(uri);
      return { contents: [{ uri, text: served[uri] }] };
    },
  } as unknown as Host;
  return { host, skills: createSkills({ host, server: 's', parseYaml: parse }), reads };
}

describe('SEP-2640 skills', () => {
  it('lists skills without reading files, and reads listed files', async () => {
    const { skills, reads } = skillsOf([listed]);
    const [skill] = (await skills.list()).skills;
    expect(reads).toEqual([]);
    expect(new TextDecoder().decode((await skills.read(skill!)).bytes)).toBe(files['skill://pdf/SKILL.md']);
    expect((await skills.read(skill!, 'skill://pdf/FORMS.md')).bytes).toHaveLength(6);
  });

  it('reads a page of any length, and sends no cursor back that is too long', async () => {
    const sent: unknown[] = [];
    const nextCursor = 'x'.repeat(65_537);
    const host = {
      ...skillsOf([]).host,
      request: async (_ref: unknown, params: unknown) => {
        sent.push(params);
        return { skills: Array.from({ length: 300_000 }, () => 7), nextCursor };
      },
    } as unknown as Host;
    const { skipped } = await createSkills({ host, server: 's', parseYaml: parse }).list();
    expect(skipped).toHaveLength(300_000);
    expect(sent).toEqual([{}]);
  });

  const [main, forms] = listed.resources;
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...forms, uri: `skill://pdf/${index}` }));
  it.each<[reason: string, entry: unknown]>([
    ['no "uri"', 'nothing'],
    ['not that of a SKILL.md', { ...listed, uri: 'skill://pdf/skill.md' }],
    ['no name or no description', { ...listed, frontmatter: { name: 'pdf' } }],
    ['does not list its files', { ...listed, resources: undefined }],
    ['cannot be verified', { ...listed, resources: 'dynamic' }],
    ['does not list its own SKILL.md', { ...listed, resources: [] }],
    ['no valid "uri", "digest" or "size"', { ...listed, resources: [{ ...main, digest: 'md5:1' }] }],
    ['no valid "uri", "digest" or "size"', { ...listed, resources: [{ ...main, size: -1 }] }],
    ['a file twice', { ...listed, resources: [main, forms, forms] }],
    ['outside its directory', { ...listed, resources: [main, { ...forms, uri: 'skill://pdfs/a.md' }] }],
    ['outside its directory', { ...listed, resources: [main, { ...forms, uri: 'skill://pdf/../a.md' }] }],
    ['outside its directory', { ...listed, resources: [main, { ...forms, uri: 'skill://pdf/a/%2e%2E/b' }] }],
    [
      'outside its directory',
      { ...listed, resources: [main, { ...forms, uri: 'skill://pdf/a/..%2F..%2fb' }] },
    ],
    ['outside its directory', { ...listed, resources: [main, { ...forms, uri: 'skill://pdf/..\\b' }] }],
    ['outside its directory', { ...listed, resources: [main, { ...forms, uri: 'skill://pdf/..%5cb' }] }],
    ['more than 512 files', { ...listed, resources: [main, ...many(512)] }],
    ['more than 16777216 bytes', { ...listed, resources: [main, { ...forms, size: 16_777_216 }] }],
  ])('leaves out a skill that cannot be used, and says why: %s', async (reason, entry) => {
    const { skills, host } = skillsOf([entry, listed]);
    const { skills: good, skipped } = await skills.list();
    expect(good).toHaveLength(1);
    expect(skipped).toEqual([expect.stringContaining(reason)]);
    const answering = { ...host, request: async () => ({ skill: entry }) };
    await expect(
      createSkills({ host: answering, server: 's', parseYaml: parse }).get(listed.uri),
    ).rejects.toMatchObject({ code: 'CONTENT_UNVERIFIED', message: expect.stringContaining(reason) });
  });

  it('uses a skill at the limits', async () => {
    const small = { ...listed, resources: [main, ...many(511).map((file) => ({ ...file, size: 0 }))] };
    const large = { ...listed, resources: [main, { ...forms, size: 16_777_216 - main!.size }] };
    expect((await skillsOf([small, large]).skills.list()).skills).toHaveLength(2);
  });

  it('refuses the entry of another skill than the one that was asked for', async () => {
    const host = { ...skillsOf([]).host, request: async () => ({ skill: listed }) };
    const skills = createSkills({ host, server: 's', parseYaml: parse });
    await expect(skills.get('skill://zip/SKILL.md')).rejects.toThrow('the entry of another one');
  });

  it('asks a server for nothing that it does not declare', async () => {
    const { skills, host } = skillsOf([listed]);
    expect([skills.supported, skills.supportsDirectories]).toEqual([true, false]);
    await expect(skills.readDirectory('skill://pdf')).rejects.toMatchObject({ code: 'CAPABILITY_MISSING' });
    const plain = {
      ...host,
      server: () => ({ state: { status: 'connected', connection: { capabilities: {} } } }),
    };
    const none = createSkills({ host: plain as unknown as Host, server: 's', parseYaml: parse });
    expect(none.supported).toBe(false);
    await expect(none.list()).rejects.toMatchObject({ code: 'CAPABILITY_MISSING' });
    await expect(none.get('skill://pdf/SKILL.md')).rejects.toMatchObject({ code: 'CAPABILITY_MISSING' });
  });

  it('ends a list whose cursor is repeated', async () => {
    let pages = 0;
    const request = async () => ({ skills: [listed], nextCursor: String((pages++ % 3) + 1) });
    const host = { ...skillsOf([]).host, request };
    expect((await createSkills({ host, server: 's', parseYaml: parse }).list()).skills).toHaveLength(4);
  });

  it.each([
    ['another digest', 'How to.', 'Now to.', /its digest differs/],
    ['another size', 'How to.', 'How to harm.', /has \d+ bytes instead of/],
  ])('refuses %s', async (_what, from, to, message) => {
    const served = { ...files, 'skill://pdf/SKILL.md': files['skill://pdf/SKILL.md']!.replace(from, to) };
    const { skills } = skillsOf([listed], served);
    const [skill] = (await skills.list()).skills;
    await expect(skills.read(skill!)).rejects.toMatchObject({
      code: 'CONTENT_UNVERIFIED',
      message: expect.stringMatching(message),
    });
  });

  it('refuses a different front matter, a missing one, and a file that is not listed', async () => {
    const { skills } = skillsOf([{ ...listed, frontmatter: { name: 'pdf', description: 'harmless' } }]);
    const [skill] = (await skills.list()).skills;
    await expect(skills.read(skill!)).rejects.toThrow(/front matter differs/);
    await expect(skills.read(skill!, 'skill://pdf/OTHER.md')).rejects.toThrow(/does not list it/);
    const bare = { ...forms, uri: listed.uri };
    const plain = skillsOf([{ ...listed, resources: [bare] }], {
      [listed.uri]: files['skill://pdf/FORMS.md']!,
    });
    const [noFrontmatter] = (await plain.skills.list()).skills;
    await expect(plain.skills.read(noFrontmatter!)).rejects.toThrow(/front matter differs/);
  });
});
