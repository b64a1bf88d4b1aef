import { chain, readFields, sameNames, userFile, writeFields, type ClientFormat } from './client-format.js';
import { escapeVariables, rejectVariables } from './client-variables.js';

const TITLE = 'Claude Desktop';
const FILE = 'claude_desktop_config.json';
const FIELDS = sameNames('command', 'args', 'env');

/** Local servers only, without variables. @see https://modelcontextprotocol.io/docs/develop/connect-local-servers */
export const claudeDesktop: ClientFormat = {
  title: TITLE,
  transports: ['stdio'],
  expandsVariables: false,
  format: 'json',
  servers: [['mcpServers']],
  files: (platform) => [
    userFile(platform, {
      linux: `.config/Claude/${FILE}`,
      darwin: `Library/Application Support/Claude/${FILE}`,
      win32: `AppData/Roaming/Claude/${FILE}`,
    }),
  ],
  read: (entry) => readFields('claude-desktop', escapeVariables(entry)),
  write(entry) {
    return chain(writeFields('claude-desktop', TITLE, entry, { ...FIELDS, type: null }), (converted) =>
      rejectVariables(converted, TITLE),
    );
  },
};
