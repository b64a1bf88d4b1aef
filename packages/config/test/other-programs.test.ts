import { describe, expect, it } from 'vitest';
import type { ServerConfig } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { importServers } from '../src/interop/import-servers.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import { FILES, PROJECT, type ForeignFile } from './fixtures/other-programs.js';
import { plugins } from './support/plugins.js';
import { scratch } from './support/scratch.js';

/** What became of one server: its entry if it can be used, and every text about it that the user sees. */
interface Outcome {
  readonly written: Readonly<Record<string, unknown>>;
  readonly entry: ServerConfig | undefined;
  readonly texts: string;
}

async function outcomes(file: ForeignFile): Promise<Readonly<Record<string, Outcome>>> {
  const text = typeof file.content === 'string' ? file.content : JSON.stringify(file.content, null, 2);
  if (file.readBy !== 'loader') {
    const found = await importServers({ from: file.readBy, text, home: '/home/me', project: PROJECT });
    expect(found.problems).toEqual([]);
    return Object.fromEntries([
      ...found.imported.map(({ name, definition, entry, notes }) => [
        name,
        { written: definition, entry, texts: notes.join('\n') },
      ]),
      ...found.failed.map(({ name, reason }) => [name, { written: {}, entry: undefined, texts: reason }]),
    ]) as Record<string, Outcome>;
  }
  const place = await scratch({ 'home/.claude.json': text });
  const config = await place.load({ layout: layouts.claude, plugins });
  return Object.fromEntries(
    config.entries.map(({ name, definition = {}, config: entry, problems }) => [
      name,
      { written: definition, entry, texts: problems.map(({ message }) => message).join('\n') },
    ]),
  );
}

/** Words that are read under another name, and that name. */
const CONVERTED: Readonly<Record<string, string>> = {
  auth: 'oauth',
  baseUrl: 'url',
  bearer_token_env_var: 'headers',
  bearerTokenEnv: 'headers',
  env_http_headers: 'headers',
  env_vars: 'env',
  environment: 'env',
  http_headers: 'headers',
  httpUrl: 'url',
  oauthScope: 'oauth',
  scopes: 'oauth',
  serverUrl: 'url',
  startup_timeout_sec: 'connectTimeout',
  tool_timeout_sec: 'timeout',
};
const OFF = /^(?:enabled|disabled|isActive|active|start_on_launch|anythingllm(?:\.autoStart)?)$/;
const TOOLS =
  /^(?:anythingllm|tools|(?:disabled|exclude|blocked|enabled|include|available|allowed)_?[tT]ools)$/;
/** Says that the command of a context server is in the entry. */
const SAYS_NOTHING = new Set(['source']);

/** Fields of the written entry that neither the result nor a text accounts for. */
function lostFields({ written, entry = {}, texts }: Outcome): readonly string[] {
  return Object.keys(written).filter((field) => {
    if (SAYS_NOTHING.has(field) || texts.includes(`"${field}"`) || Object.hasOwn(entry, field)) return false;
    if (OFF.test(field) && (isRecord(written[field]) || typeof written[field] === 'boolean')) return false;
    if (String(written[field]) === '*') return false;
    if (TOOLS.test(field)) return !['deniedTools', 'enabledTools'].some((ours) => Object.hasOwn(entry, ours));
    return !Object.hasOwn(entry, CONVERTED[field] ?? field);
  });
}

describe(`${String(FILES.length)} files of other programs`, () => {
  it.each(FILES.map((file): [string, ForeignFile] => [`${file.program}: ${file.shows}`, file]))(
    '%s',
    async (_, file) => {
      const found = await outcomes(file);
      const usable = Object.entries(found).filter(([, { entry }]) => entry !== undefined);
      const having = (field: string): object =>
        Object.fromEntries(
          usable.flatMap(([name, { entry }]) => (entry?.[field] === undefined ? [] : [[name, entry[field]]])),
        );
      const off = usable.flatMap(([name, { entry }]) => (entry?.disabled === true ? [name] : []));
      expect(off.toSorted()).toEqual([...(file.off ?? [])].toSorted());
      expect(having('deniedTools')).toEqual(file.denied ?? {});
      expect(having('enabledTools')).toEqual(file.only ?? {});
      const refused = Object.entries(found).filter(([, { entry }]) => entry === undefined);
      expect(refused.map(([name]) => name).toSorted()).toEqual([...(file.refused ?? [])].toSorted());
      for (const [name, outcome] of usable) expect(lostFields(outcome), name).toEqual([]);
      for (const [name, { texts }] of refused) expect(texts, name).not.toBe('');
      // Nothing of another program grants anything here.
      for (const [name, { entry }] of usable) {
        expect(entry?.['allowedTools'], name).toBeUndefined();
        expect(entry?.['trust'], name).toBeUndefined();
      }
    },
  );
});
