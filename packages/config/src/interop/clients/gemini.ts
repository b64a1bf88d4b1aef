import type { JsonValue } from '../../jsonc/json-value.js';
import { variableReference } from '../../variables/syntax.js';
import { chain, readFields, sameNames, writeFields, type ClientFormat, type Draft } from './client-format.js';
import { writeShellVariables, translateVariables } from './client-variables.js';

const TITLE = 'Gemini CLI';
const FIELDS = sameNames(
  'command',
  'args',
  'env',
  'cwd',
  'headers',
  'timeout',
  'trust',
  'description',
  'oauth',
  'authProviderType',
  'targetAudience',
  'targetServiceAccount',
);

/**
 * `url` is Streamable HTTP unless `type` says `sse`; versions before 0.6 read it as SSE, and `httpUrl` as Streamable HTTP.
 * @see https://geminicli.com/docs/tools/mcp-server
 */
export const gemini: ClientFormat = {
  title: TITLE,
  transports: ['stdio', 'http', 'sse'],
  format: 'json',
  servers: [['mcpServers']],
  files: () => [
    { base: 'project', path: '.gemini/settings.json' },
    { base: 'home', path: '.gemini/settings.json' },
  ],
  read(entry) {
    const { httpUrl, url, type, ...rest } = entry;
    const address: Draft =
      httpUrl === undefined
        ? { ...(type !== undefined && { type }), ...(url !== undefined && { url }) }
        : { type: 'http', url: httpUrl };
    const converted = readFields('gemini', rest);
    return chain({ entry: { ...address, ...converted.entry }, notes: converted.notes }, (ours) =>
      translateVariables(
        ours,
        /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}|\$([A-Za-z_]\w*)/g,
        ([, name, fallback, bare]) => variableReference(name ?? bare ?? '', fallback),
      ),
    );
  },
  write(entry) {
    const rules = {
      ...FIELDS,
      type: null,
      url: (value: JsonValue, draft: Draft): undefined => {
        if (entry['type'] === 'sse') Object.assign(draft, { url: value, type: 'sse' });
        else draft['httpUrl'] = value;
      },
    };
    return chain(writeFields('gemini', TITLE, entry, rules), (converted) =>
      writeShellVariables(converted, TITLE),
    );
  },
};
