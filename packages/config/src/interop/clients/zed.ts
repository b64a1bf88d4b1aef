import { type JsonObject, isJsonObject } from '../../jsonc/json-value.js';
import {
  convertFields,
  chain,
  sameNames,
  userFile,
  type Conversion,
  type ClientFormat,
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
    return convertFields(
      escapeVariables(flat),
      {
        ...FIELDS,
        source: null,
        enabled: (value, draft) => void (value === false && (draft['disabled'] = true)),
        timeout: (value, draft) => void (typeof value === 'number' && (draft['timeout'] = value)),
      },
      'here',
    );
  },
  write(entry) {
    const rules = {
      ...FIELDS,
      type: null,
      disabled: (value: unknown, draft: Record<string, unknown>): undefined => {
        if (value === true) draft['enabled'] = false;
      },
    };
    return chain(convertFields(entry, rules, `in ${TITLE}`), (converted) =>
      rejectVariables(converted, TITLE),
    );
  },
};
