import { type JsonObject, type JsonValue, isJsonObject } from '../../jsonc/json-value.js';
import {
  chain,
  readFields,
  sameNames,
  userFile,
  writeFields,
  type Conversion,
  type ClientFormat,
  type Draft,
} from './client-format.js';
import { escapeVariables, rejectVariables } from './client-variables.js';

const TITLE = 'Zed';
const FIELDS = sameNames('command', 'args', 'env', 'url', 'headers');

/** `context_servers` in the settings. @see https://zed.dev/docs/ai/mcp */
export const zed: ClientFormat = {
  title: TITLE,
  transports: ['stdio', 'http'],
  expandsVariables: false,
  format: 'json',
  servers: [['context_servers']],
  files: (platform) => [
    { base: 'project', path: '.zed/settings.json' },
    userFile(platform, {
      linux: '.config/zed/settings.json',
      darwin: '.config/zed/settings.json',
      win32: 'AppData/Roaming/Zed/settings.json',
    }),
  ],
  read(entry): Conversion {
    if (entry['command'] === undefined && entry['url'] === undefined) {
      return { reason: 'It belongs to a Zed extension, which contains the command.' };
    }
    const { command, ...rest } = entry;
    // Older files have path, arguments and environment in one object.
    const { path, ...nested } = isJsonObject(command) ? command : { path: command };
    const flat: JsonObject = { ...(path !== undefined && { command: path }), ...nested, ...rest };
    // `custom` says that the command is in the entry.
    const rules = {
      source: (value: JsonValue, draft: Draft) => void (value !== 'custom' && (draft['source'] = value)),
    };
    return readFields('zed', escapeVariables(flat), rules);
  },
  write(entry) {
    const rules = {
      ...FIELDS,
      type: null,
      timeout: (value: JsonValue, draft: Draft): undefined => {
        if (typeof value === 'number') draft['timeout'] = Math.ceil(value / 1000);
      },
    };
    return chain(writeFields('zed', TITLE, entry, rules), (converted) => rejectVariables(converted, TITLE));
  },
};
