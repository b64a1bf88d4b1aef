import { isJsonObject, type JsonValue } from '../../jsonc/json-value.js';
import {
  chain,
  convertFields,
  readFields,
  sameNames,
  writeFields,
  type ClientFormat,
  type Draft,
} from './client-format.js';
import { writeEditorVariables, translateEditorVariables } from './client-variables.js';

const TITLE = 'Cursor';
const FIELDS = sameNames('command', 'args', 'env', 'url', 'headers');

/** `mcpServers`, with static OAuth credentials under `auth`. @see https://cursor.com/docs/mcp */
export const cursor: ClientFormat = {
  title: TITLE,
  transports: ['stdio', 'http', 'sse'],
  format: 'json',
  servers: [['mcpServers']],
  files: () => [
    { base: 'project', path: '.cursor/mcp.json' },
    { base: 'home', path: '.cursor/mcp.json' },
  ],
  read: (entry, options) =>
    chain(readFields('cursor', entry, { auth: readAuth }), (converted) =>
      translateEditorVariables(converted, options),
    ),
  write(entry) {
    return chain(
      writeFields('cursor', TITLE, entry, { ...FIELDS, type: null, oauth: writeAuth }),
      (converted) => writeEditorVariables(converted, TITLE),
    );
  },
};

const AUTH_FIELDS = { CLIENT_ID: 'clientId', CLIENT_SECRET: 'clientSecret', scopes: 'scopes' } as const;

function readAuth(value: JsonValue, draft: Draft): string | undefined {
  if (!isJsonObject(value)) return '"auth" is not an object and was removed.';
  const { entry, notes } = convertFields(value, AUTH_FIELDS, 'here');
  draft['oauth'] = entry;
  return notes[0];
}

function writeAuth(value: JsonValue, draft: Draft): string | undefined {
  if (!isJsonObject(value)) return `"oauth" has no equivalent in ${TITLE} and was removed.`;
  const back = Object.fromEntries(Object.entries(AUTH_FIELDS).map(([theirs, ours]) => [ours, theirs]));
  const { entry, notes } = convertFields(value, { ...back, enabled: null }, `in ${TITLE}`);
  if (Object.keys(entry).length > 0) draft['auth'] = entry;
  return notes.length === 0 ? undefined : notes.join(' ');
}
