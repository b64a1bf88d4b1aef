import { isDangerousVariable } from '../entry/dangerous-environment.js';
import { textsOf } from '../entry/variables.js';
import type { JsonObject, JsonValue } from '../jsonc/json-value.js';
import { visibleText } from '../text/visible-text.js';

const SHELLS =
  /^(?:.*[/\\])?(?:sh|bash|zsh|dash|ksh|fish|cmd|powershell|pwsh|wsl|osascript|env|sudo|eval)(?:\.exe)?$/i;
/** The only proxies that a definition can name without choosing one. */
const NO_OWN_PROXY: ReadonlySet<JsonValue | undefined> = new Set([undefined, 'env', 'none']);
const SIGN_IN_ADDRESSES = ['authorizationUrl', 'tokenUrl', 'authServerMetadataUrl', 'allowedEndpointOrigins'];

/** Why a person should look twice at a definition. */
export function warningsFor(definition: JsonObject): readonly string[] {
  return [
    ...ofProgram(definition),
    ...ofConnection(definition),
    ...ofSignIn(definition),
    ...ofTexts(definition),
  ];
}

function* ofProgram({ command, env }: JsonObject): Generator<string> {
  if (typeof command === 'string' && SHELLS.test(command)) {
    yield `It runs ${visibleText(command)}, which runs whatever its arguments say.`;
  }
  for (const name of membersOf(env)) {
    if (isDangerousVariable(name)) {
      yield `It sets ${visibleText(name)}, which can make the program run other code.`;
    }
  }
}

function* ofConnection({ url, proxy, ca, allowAddresses }: JsonObject): Generator<string> {
  if (
    typeof url === 'string' &&
    /^(?:http|ws):/i.test(url) &&
    !/^\w+:\/\/(?:localhost|127\.|\[::1\])/i.test(url)
  ) {
    yield 'It talks to the server without encryption.';
  }
  if (!NO_OWN_PROXY.has(proxy)) {
    yield 'It chooses a proxy, which everything goes through, your sign-in to this server included.';
  }
  if (ca !== undefined) {
    yield 'It brings authorities of its own: their owner can read what is sent, your sign-in to this server included.';
  }
  if (allowAddresses !== undefined) yield 'It lets sign-in lead into your private network.';
}

function* ofSignIn({ oauth, authProviderType }: JsonObject): Generator<string> {
  if (membersOf(oauth).some((name) => SIGN_IN_ADDRESSES.includes(name))) {
    yield 'It says itself where your sign-in goes, instead of the server.';
  }
  if (authProviderType !== undefined) yield 'It asks for a token of the Google credentials of this machine.';
}

function* ofTexts(definition: JsonObject): Generator<string> {
  const foreign = [...textsOf(definition)]
    .filter(([, text]) => /[^\n\t\x20-\x7e]/.test(text))
    .map(([path]) => path);
  if (foreign.length > 0) {
    yield `There are characters outside of ASCII, which can look like others, in ${foreign.join(', ')}.`;
  }
}

function membersOf(value: JsonValue | undefined): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}
