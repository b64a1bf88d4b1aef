import { isJsonObject } from '../../jsonc/json-value.js';
import { byFields } from './client-format.js';
import { NO_VARIABLES } from './client-variables.js';

/** `context_servers` in the settings. @see https://zed.dev/docs/ai/mcp */
export const zed = byFields('zed', {
  title: 'Zed',
  transports: ['stdio', 'http'],
  expandsVariables: false,
  format: 'json',
  servers: [['context_servers']],
  files: {
    project: ['.zed/settings.json'],
    home: [
      {
        linux: '.config/zed/settings.json',
        darwin: '.config/zed/settings.json',
        win32: 'AppData/Roaming/Zed/settings.json',
      },
    ],
  },
  variables: NO_VARIABLES,
  same: ['command', 'args', 'env', 'url', 'headers'],
  beforeRead({ command, ...rest }) {
    if (command === undefined && rest['url'] === undefined)
      return { reason: 'It belongs to a Zed extension, which contains the command.' };
    // Older files have path, arguments and environment in one object.
    const { path, ...nested } = isJsonObject(command) ? command : { path: command };
    return { entry: { ...(path !== undefined && { command: path }), ...nested, ...rest }, notes: [] };
  },
  reads: {
    // `custom` says that the command is in the entry.
    source: (value, draft) => void (value !== 'custom' && (draft['source'] = value)),
  },
  writes: {
    timeout(value, draft) {
      if (typeof value === 'number') draft['timeout'] = Math.ceil(value / 1000);
    },
  },
});
