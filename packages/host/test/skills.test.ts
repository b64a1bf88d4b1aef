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

  it('leaves out entries that cannot be verified', async () => {
    const { skills } = skillsOf([
      'nothing',
      { ...listed, frontmatter: {} },
      { ...listed, resources: [] },
      { ...listed, resources: [{ ...listed.resources[0], digest: 'md5:1' }] },
      listed,
    ]);
    const { skills: good, skipped } = await skills.list();
    expect([good.length, skipped.length]).toEqual([1, 4]);
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
    const plain = skillsOf([{ ...listed, uri: 'skill://pdf/FORMS.md' }]);
    const [noFrontmatter] = (await plain.skills.list()).skills;
    await expect(plain.skills.read(noFrontmatter!)).rejects.toThrow(/front matter differs/);
  });
});
