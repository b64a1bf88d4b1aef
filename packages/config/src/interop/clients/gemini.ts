import type { JsonValue } from '../../jsonc/json-value.js';
import { variableReference } from '../../variables/syntax.js';
import { convertFields, chain, sameNames, type ClientFormat, type Draft } from './client-format.js';
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

/** `httpUrl` is Streamable HTTP, `url` is SSE. @see https://geminicli.com/docs/tools/mcp-server */
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
    const rules = {
      ...FIELDS,
      excludeTools: 'deniedTools',
      // Our `allowedTools` lets tools run without asking, which grants more than offering them.
      includeTools: () =>
        '"includeTools" limits the tools that are offered. Here all tools are offered, and each one asks first.',
    };
    const address: Draft = {};
    if (httpUrl !== undefined) Object.assign(address, { type: 'http', url: httpUrl });
    else if (url !== undefined) Object.assign(address, { type: type ?? 'sse', url });
    const converted = convertFields(rest, rules, 'here');
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
        draft[entry['type'] === 'sse' ? 'url' : 'httpUrl'] = value;
      },
      deniedTools: 'excludeTools',
    };
    return chain(convertFields(entry, rules, `in ${TITLE}`), (converted) =>
      writeShellVariables(converted, TITLE),
    );
  },
};
