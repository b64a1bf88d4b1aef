import { isJsonList, type JsonValue } from '../../jsonc/json-value.js';
import { variableReference } from '../../variables/syntax.js';
import { chain, readFields, sameNames, writeFields, type ClientFormat, type Draft } from './client-format.js';
import { writeVariables, translateVariables } from './client-variables.js';

const TITLE = 'opencode';
const FIELDS = sameNames('cwd', 'url', 'headers', 'timeout');

/**
 * `type` is `local` or `remote`; the command and its arguments are one list. Version 2 has servers under `mcp.servers` and
 * the field `disabled`, version 1 under `mcp` and the field `enabled`. Both are read; version 2 is written.
 * @see https://opencode.ai/v2/docs/mcp-servers/
 */
export const opencode: ClientFormat = {
  title: TITLE,
  transports: ['stdio', 'http', 'sse'],
  format: 'json',
  servers: [['mcp', 'servers'], ['mcp']],
  files: () => [
    { base: 'project', path: 'opencode.json' },
    { base: 'project', path: 'opencode.jsonc' },
    { base: 'home', path: '.config/opencode/opencode.json' },
    { base: 'home', path: '.config/opencode/opencode.jsonc' },
  ],
  read: (entry) =>
    chain(readFields('opencode', entry, { command: readCommand }), (converted) =>
      translateVariables(converted, /\{(env|file):([^}]*)\}/g, ([, kind, name = '']) =>
        kind === 'env' ? variableReference(name) : undefined,
      ),
    ),
  write(entry) {
    const { command, args, ...rest } = entry;
    const rules = {
      ...FIELDS,
      type: (value: JsonValue, draft: Draft): undefined =>
        void (draft['type'] = value === 'stdio' ? 'local' : 'remote'),
      command: 'command',
      env: 'environment',
      oauth: 'oauth',
    };
    const list = command === undefined ? {} : { command: [command, ...(isJsonList(args) ? args : [])] };
    const { type, ...others } = rest;
    return chain(
      writeFields('opencode', TITLE, { type: type ?? 'http', ...list, ...others }, rules),
      (converted) =>
        writeVariables(converted, {
          title: TITLE,
          format: (name) => `{env:${name}}`,
          supportsDefault: false,
          readsBraces: false,
        }),
    );
  },
};

function readCommand(value: JsonValue, draft: Draft): undefined {
  const [command, ...args] = isJsonList(value) ? value : [value];
  if (command !== undefined) draft['command'] = command;
  if (args.length > 0) draft['args'] = args;
}
