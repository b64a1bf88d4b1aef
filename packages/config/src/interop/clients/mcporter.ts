import { variableReference } from '../../variables/syntax.js';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../jsonc/json-value.js';
import {
  convertFields,
  chain,
  sameNames,
  type Conversion,
  type ClientFormat,
  type Draft,
} from './client-format.js';
import { writeShellVariables, translateVariables } from './client-variables.js';

const TITLE = 'mcporter';
const FIELDS = sameNames('command', 'args', 'env', 'cwd', 'headers', 'description');

/** Names with `_` between words mean the same as ours with a capital letter. */
const camelCase = (entry: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(entry).map(([field, value]) => [
      field.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

/** `baseUrl`, a command that may be one line, `$env:NAME`. @see https://github.com/openclaw/mcporter/blob/main/docs/config.md */
export const mcporter: ClientFormat = {
  title: TITLE,
  transports: ['stdio', 'http', 'sse'],
  format: 'json',
  servers: [['mcpServers']],
  files: () => [
    { base: 'project', path: 'config/mcporter.json' },
    { base: 'home', path: '.mcporter/mcporter.json' },
    { base: 'home', path: '.mcporter/mcporter.jsonc' },
  ],
  read(entry, { home }): Conversion {
    const { baseUrl, url, serverUrl, command, executable, args, cwd, ...rest } = camelCase(entry);
    const address = [baseUrl, url, serverUrl].find((each) => each !== undefined);
    const words = parseCommand(command ?? executable, args);
    // An address goes before a command there.
    const target = address === undefined ? words : { url: address };
    if (target === undefined) return { reason: 'It has neither "baseUrl" nor "command".' };
    const carried = convertFields(
      rest,
      {
        ...FIELDS,
        headers: (value, draft) => mergeHeaders(draft, value),
        bearerToken: (value, draft) => mergeHeaders(draft, { Authorization: `Bearer ${textOf(value)}` }),
        // The variable holds the whole value of the header there.
        bearerTokenEnv: (value, draft) => {
          const token = typeof value === 'string' ? variableReference(value) : undefined;
          if (token === undefined) return '"bearerTokenEnv" does not name a variable and was left out.';
          mergeHeaders(draft, { Authorization: token });
          return undefined;
        },
        oauthClientId: (value, draft) => mergeOauth(draft, 'clientId', value),
        oauthClientSecret: (value, draft) => mergeOauth(draft, 'clientSecret', value),
        oauthClientSecretEnv: (value, draft) => {
          const secret = typeof value === 'string' ? variableReference(value) : undefined;
          return secret === undefined
            ? '"oauthClientSecretEnv" does not name a variable and was left out.'
            : mergeOauth(draft, 'clientSecret', secret);
        },
        oauthRedirectUrl: (value, draft) => mergeOauth(draft, 'redirectUri', value),
        oauthScope: (value, draft) =>
          mergeOauth(
            draft,
            'scopes',
            textOf(value)
              .split(/\s+/)
              .filter((each) => each !== ''),
          ),
        blockedTools: 'deniedTools',
        allowedTools: () => '"allowedTools" offers only some tools; here all are offered, and each asks.',
        auth: null,
        lifecycle: null,
        logging: null,
        tokenCacheDir: null,
        clientName: null,
      },
      'here',
    );
    const folder = typeof cwd === 'string' ? cwd.replace(/^~(?=$|[/\\])/, () => home) : cwd;
    const whole = { ...target, ...(folder !== undefined && { cwd: folder }), ...carried.entry };
    return chain({ entry: whole, notes: carried.notes }, (ours) =>
      translateVariables(
        ours,
        /^\$env:([A-Za-z_]\w*)$|\\?\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
        ([, direct, name, fallback]) => variableReference(direct ?? name ?? '', fallback),
      ),
    );
  },
  write(entry) {
    const { type: _type, url, oauth, deniedTools, ...rest } = entry;
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
      ...(deniedTools !== undefined && { blockedTools: deniedTools }),
    };
    const carried = convertFields(
      theirs,
      {
        ...FIELDS,
        ...sameNames('baseUrl', 'auth', 'oauthClientId', 'oauthClientSecret', 'oauthScope'),
        ...sameNames('oauthRedirectUrl', 'blockedTools'),
      },
      `in ${TITLE}`,
    );
    const lost = Object.keys(more).map(
      (field) => `"oauth.${field}" has no counterpart in ${TITLE} and was left out.`,
    );
    return chain({ ...carried, notes: [...carried.notes, ...lost] }, (ours) =>
      writeShellVariables(ours, TITLE),
    );
  },
};

/** A list, a program with arguments, or all in one line. */
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

function mergeHeaders(draft: Draft, value: JsonValue): undefined {
  const present = draft['headers'];
  draft['headers'] = { ...(isJsonObject(present) && present), ...(isJsonObject(value) && value) };
}

function mergeOauth(draft: Draft, field: string, value: JsonValue): undefined {
  const present = draft['oauth'];
  draft['oauth'] = { ...(isJsonObject(present) && present), [field]: value };
}

/** The words of one command line, as mcporter cuts it: quotes of both kinds, and `\` before any character. */
export function splitWords(line: string): readonly string[] {
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
