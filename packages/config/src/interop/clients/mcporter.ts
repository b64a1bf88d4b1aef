import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../jsonc/json-value.js';
import { variableReference } from '../../variables/syntax.js';
import {
  chain,
  mergeMembers,
  readFields,
  wordsOf,
  writeFields,
  type Conversion,
  type ClientFormat,
} from './client-format.js';
import { writeShellVariables, translateVariables } from './client-variables.js';

const TITLE = 'mcporter';
const FIELDS = Object.fromEntries(
  [
    'command',
    'args',
    'env',
    'cwd',
    'headers',
    'description',
    'baseUrl',
    'auth',
    'oauthClientId',
    'oauthClientSecret',
    'oauthScope',
    'oauthRedirectUrl',
  ].map((name) => [name, name]),
);

/** mcporter accepts `snake_case` names of fields too. */
const camelCase = (entry: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(entry).map(([field, value]) => [
      field.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

/** `baseUrl`, a command line in one string, `$env:NAME`. @see https://github.com/openclaw/mcporter/blob/main/docs/config.md */
export const mcporter: ClientFormat = {
  title: TITLE,
  transports: ['stdio', 'http', 'sse'],
  format: 'json',
  servers: [['mcpServers']],
  files: { project: ['config/mcporter.json'], home: ['.mcporter/mcporter.json', '.mcporter/mcporter.jsonc'] },
  read(entry, { home }): Conversion {
    const { baseUrl, url, serverUrl, command, executable, args, cwd, ...rest } = camelCase(entry);
    const address = [baseUrl, url, serverUrl].find((each) => each !== undefined);
    const words = parseCommand(command ?? executable, args);
    // mcporter prefers a URL to a command.
    const target = address === undefined ? words : { url: address };
    if (target === undefined) return { reason: 'The entry has neither "baseUrl" nor "command".' };
    const converted = readFields('mcporter', rest, {
      headers: (value, draft) => mergeMembers(draft, 'headers', value),
      bearerToken: (value, draft) =>
        mergeMembers(draft, 'headers', { Authorization: `Bearer ${textOf(value)}` }),
      // The variable holds the whole value of the header.
      bearerTokenEnv: (value, draft) => {
        const token = typeof value === 'string' ? variableReference(value) : undefined;
        return token === undefined
          ? '"bearerTokenEnv" is not the name of a variable and was removed.'
          : mergeMembers(draft, 'headers', { Authorization: token });
      },
      oauthClientId: (value, draft) => mergeMembers(draft, 'oauth', { clientId: value }),
      oauthClientSecret: (value, draft) => mergeMembers(draft, 'oauth', { clientSecret: value }),
      oauthClientSecretEnv: (value, draft) => {
        const secret = typeof value === 'string' ? variableReference(value) : undefined;
        return secret === undefined
          ? '"oauthClientSecretEnv" is not the name of a variable and was removed.'
          : mergeMembers(draft, 'oauth', { clientSecret: secret });
      },
      oauthScope: (value, draft) => mergeMembers(draft, 'oauth', { scopes: wordsOf(textOf(value)) }),
    });
    const folder = typeof cwd === 'string' ? cwd.replace(/^~(?=$|[/\\])/, () => home) : cwd;
    const whole = { ...target, ...(folder !== undefined && { cwd: folder }), ...converted.entry };
    return chain({ entry: whole, notes: converted.notes }, (ours) =>
      translateVariables(
        ours,
        /^\$env:([A-Za-z_]\w*)$|\\?\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
        ([, direct, name, fallback]) => variableReference(direct ?? name ?? '', fallback),
      ),
    );
  },
  write(entry) {
    const { type: _type, url, oauth, ...rest } = entry;
    const {
      clientId,
      clientSecret,
      scopes,
      redirectUri,
      enabled: _enabled,
      ...more
    } = isJsonObject(oauth) ? oauth : {};
    const theirs: JsonObject = {
      ...(url !== undefined && { baseUrl: url }),
      ...rest,
      ...(isJsonObject(oauth) && oauth['enabled'] !== false && { auth: 'oauth' }),
      ...(clientId !== undefined && { oauthClientId: clientId }),
      ...(clientSecret !== undefined && { oauthClientSecret: clientSecret }),
      ...(scopes !== undefined && { oauthScope: isJsonList(scopes) ? scopes.map(textOf).join(' ') : scopes }),
      ...(redirectUri !== undefined && { oauthRedirectUrl: redirectUri }),
    };
    const converted = writeFields('mcporter', TITLE, theirs, FIELDS);
    const notes = Object.keys(more).map(
      (field) => `"oauth.${field}" has no equivalent in ${TITLE} and was removed.`,
    );
    return chain(converted, (ours) =>
      chain({ entry: ours, notes }, (whole) => writeShellVariables(whole, TITLE)),
    );
  },
};

/** Accepts a list, a program with arguments, or a command line in one string. */
function parseCommand(command: JsonValue | undefined, args: JsonValue | undefined): JsonObject | undefined {
  const more = isJsonList(args) ? args : [];
  if (isJsonList(command)) {
    const [first, ...others] = command;
    return first === undefined ? undefined : { command: first, ...(others.length > 0 && { args: others }) };
  }
  if (typeof command !== 'string' || command === '') return undefined;
  if (more.length > 0) return { command, args: more };
  const [first, ...others] = splitWords(command);
  return first === undefined ? undefined : { command: first, ...(others.length > 0 && { args: others }) };
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Splits a command line as mcporter does: with single and double quotes, and `\` before any character. */
function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === '\\' && at + 1 < line.length) {
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (character === quote) quote = undefined;
    else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (word !== undefined) words.push(word);
  return words;
}
