import { chain, readFields, sameNames, userFile, writeFields, type ClientFormat } from './client-format.js';
import { writeEditorVariables, translateEditorVariables } from './client-variables.js';

const TITLE = 'VS Code';
const FIELDS = sameNames('type', 'command', 'args', 'env', 'cwd', 'url', 'headers');

/** `servers` and `inputs`. @see https://code.visualstudio.com/docs/agents/reference/mcp-configuration */
export const vscode: ClientFormat = {
  title: TITLE,
  transports: ['stdio', 'http', 'sse'],
  format: 'json',
  servers: [['servers'], ['mcp', 'servers'], ['mcpServers']],
  files: (platform) => [
    { base: 'project', path: '.vscode/mcp.json' },
    userFile(platform, {
      linux: '.config/Code/User/mcp.json',
      darwin: 'Library/Application Support/Code/User/mcp.json',
      win32: 'AppData/Roaming/Code/User/mcp.json',
    }),
  ],
  read: (entry, options) =>
    chain(readFields('vscode', entry), (converted) => translateEditorVariables(converted, options)),
  write(entry) {
    return chain(writeFields('vscode', TITLE, entry, FIELDS), (converted) =>
      writeEditorVariables(converted, TITLE),
    );
  },
};
