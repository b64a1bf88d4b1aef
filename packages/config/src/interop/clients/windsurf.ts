import { chain, readFields, sameNames, writeFields, type ClientFormat } from './client-format.js';
import { writeEditorVariables, translateEditorVariables } from './client-variables.js';

const TITLE = 'Windsurf';
const FIELDS = sameNames('command', 'args', 'env', 'headers');

/** A remote server has a `serverUrl`. @see https://docs.windsurf.com/windsurf/cascade/mcp */
export const windsurf: ClientFormat = {
  title: TITLE,
  transports: ['stdio', 'http', 'sse'],
  format: 'json',
  servers: [['mcpServers']],
  files: () => [{ base: 'home', path: '.codeium/windsurf/mcp_config.json' }],
  read: (entry, options) =>
    chain(readFields('windsurf', entry), (converted) => translateEditorVariables(converted, options)),
  write(entry) {
    const rules = { ...FIELDS, type: null, url: 'serverUrl' };
    return chain(writeFields('windsurf', TITLE, entry, rules), (converted) =>
      writeEditorVariables(converted, TITLE),
    );
  },
};
