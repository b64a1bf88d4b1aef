import { convertFields, chain, sameNames, type ClientFormat } from './client-format.js';
import { writeEditorVariables, translateEditorVariables } from './client-variables.js';

const TITLE = 'Windsurf';
const FIELDS = sameNames('command', 'args', 'env', 'headers', 'disabled');

/** A remote server has a `serverUrl`. @see https://docs.windsurf.com/windsurf/cascade/mcp */
export const windsurf: ClientFormat = {
  title: TITLE,
  transports: ['stdio', 'http', 'sse'],
  format: 'json',
  servers: [['mcpServers']],
  files: () => [{ base: 'home', path: '.codeium/windsurf/mcp_config.json' }],
  read: (entry, options) =>
    chain(
      convertFields(
        entry,
        { ...FIELDS, ...sameNames('type', 'cwd', 'url'), serverUrl: 'url', disabledTools: 'deniedTools' },
        'here',
      ),
      (converted) => translateEditorVariables(converted, options),
    ),
  write(entry) {
    const rules = { ...FIELDS, type: null, url: 'serverUrl', deniedTools: 'disabledTools' };
    return chain(convertFields(entry, rules, `in ${TITLE}`), (converted) =>
      writeEditorVariables(converted, TITLE),
    );
  },
};
