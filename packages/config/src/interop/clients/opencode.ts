import { isJsonList } from '../../jsonc/json-value.js';
import { variableReference } from '../../variables/syntax.js';
import { byFields } from './client-format.js';
import { translateVariables, writeVariables } from './client-variables.js';

/**
 * `type` is `local` or `remote`; the command and its arguments are one list. Version 2 has servers under `mcp.servers` and
 * the field `disabled`, version 1 under `mcp` and the field `enabled`. Both are read; version 2 is written.
 * @see https://opencode.ai/v2/docs/mcp-servers/
 */
export const opencode = byFields('opencode', {
  title: 'opencode',
  transports: ['stdio', 'http', 'sse'],
  format: 'json',
  servers: [['mcp', 'servers'], ['mcp']],
  files: {
    project: ['opencode.json', 'opencode.jsonc'],
    home: ['.config/opencode/opencode.json', '.config/opencode/opencode.jsonc'],
  },
  variables: {
    after: (entry) =>
      translateVariables(entry, /\{(env|file):([^}]*)\}/g, ([, kind, name = '']) =>
        kind === 'env' ? variableReference(name) : undefined,
      ),
    write: (entry, title) => writeVariables(entry, { title, format: (name) => `{env:${name}}` }),
  },
  same: ['command', 'cwd', 'url', 'headers', 'timeout', 'oauth'],
  reads: {
    command(value, draft) {
      const [command, ...args] = isJsonList(value) ? value : [value];
      if (command !== undefined) draft['command'] = command;
      if (args.length > 0) draft['args'] = args;
    },
  },
  beforeWrite: ({ type = 'http', command, args, ...rest }) => ({
    type,
    ...(command !== undefined && { command: [command, ...(isJsonList(args) ? args : [])] }),
    ...rest,
  }),
  writes: {
    type: (value, draft) => void (draft['type'] = value === 'stdio' ? 'local' : 'remote'),
    env: 'environment',
  },
});
