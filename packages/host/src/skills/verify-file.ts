import { createHash } from 'node:crypto';
import { canonicalJson } from '@mcp-fittings/toolbox/text';
import { isWithin } from './skill-entry.js';
import type { Skill } from './skills.js';

/** Returns why a URI is not one of a file of the skill; `undefined` if it is. */
export function notOfSkill({ uri, files }: Skill, file: string): string | undefined {
  if (files === 'dynamic') return isWithin(uri, file) ? undefined : 'it is not in the directory of the skill';
  return files.some((each) => each.uri === file) ? undefined : 'the skill does not list it';
}

/** Returns how a file differs from the entry of its skill; `undefined` if it does not. */
export function mismatchOf(
  skill: Skill,
  uri: string,
  bytes: Uint8Array,
  parseYaml: (text: string) => unknown,
): string | undefined {
  const entry = skill.files === 'dynamic' ? undefined : skill.files.find((file) => file.uri === uri);
  if (entry !== undefined) {
    if (bytes.length !== entry.size) return `it has ${bytes.length} bytes instead of ${entry.size}`;
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    if (digest !== entry.digest) return 'its digest differs';
  }
  return uri !== skill.uri || hasFrontmatter(bytes, skill, parseYaml)
    ? undefined
    : 'its front matter differs';
}

function hasFrontmatter(bytes: Uint8Array, skill: Skill, parseYaml: (text: string) => unknown): boolean {
  const text = new TextDecoder().decode(bytes);
  const yaml = /^---\r?\n([\s\S]*?)\r?\n---(\r?\n|$)/.exec(text)?.[1];
  if (yaml === undefined) return false;
  try {
    return canonicalJson(parseYaml(yaml)) === canonicalJson(skill.frontmatter);
  } catch {
    return false;
  }
}
