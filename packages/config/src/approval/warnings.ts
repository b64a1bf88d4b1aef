import { variablesWithRisk } from '../variables/risk.js';
import { ALL_VARIABLES, inheritedVariables, stringValues } from '../variables/syntax.js';
import type { JsonObject, JsonValue } from '../jsonc/json-value.js';
import { quoteText } from '../display-text.js';

const SHELLS =
  /^(?:.*[/\\])?(?:sh|bash|zsh|dash|ksh|fish|cmd|powershell|pwsh|wsl|osascript|env|sudo|eval)(?:\.exe)?$/i;
/** The only proxies that a definition can name without choosing one. */
const NO_OWN_PROXY: ReadonlySet<JsonValue | undefined> = new Set([undefined, 'env', 'none']);
const SIGN_IN_ADDRESSES = ['authorizationUrl', 'tokenUrl', 'authServerMetadataUrl', 'allowedEndpointOrigins'];

/** Why a person should look twice at a definition. */
export function warningsFor(definition: JsonObject): readonly string[] {
  return [
    ...programWarnings(definition),
    ...connectionWarnings(definition),
    ...signInWarnings(definition),
    ...characterWarnings(definition),
  ];
}

function* programWarnings(definition: JsonObject): Generator<string> {
  const { command, env } = definition;
  if (typeof command === 'string' && SHELLS.test(command)) {
    yield `It runs ${quoteText(command)}, which runs whatever its arguments say.`;
  }
  const dangerous = variablesWithRisk(env, 'dangerous').map(quoteText);
  if (dangerous.length > 0)
    yield `It sets ${dangerous.join(', ')}, which can make the program run other code.`;
  const unknown = variablesWithRisk(env, 'unknown').map(quoteText);
  if (unknown.length > 0) {
    yield `It sets ${unknown.join(', ')}. It is not known whether that changes what the program does.`;
  }
  if (inheritedVariables(definition).has(ALL_VARIABLES)) {
    yield 'It would be given your whole environment, with every secret in it.';
  }
}

function* connectionWarnings({ url, proxy, ca, allowAddresses }: JsonObject): Generator<string> {
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

function* signInWarnings({
  oauth,
  authProviderType,
  url,
  httpUrl,
  serverUrl,
}: JsonObject): Generator<string> {
  if (membersOf(oauth).some((name) => SIGN_IN_ADDRESSES.includes(name))) {
    yield 'It says itself where your sign-in goes, instead of the server.';
  }
  const own = originOf(url ?? httpUrl ?? serverUrl);
  for (const [path, text] of stringValues({ oauth: oauth ?? null })) {
    const origin = originOf(text);
    // A text with a variable could become any address.
    const named = origin ?? (text.includes('$') && /url|issuer|endpoint/i.test(path) ? text : undefined);
    if (named !== undefined && named !== own) {
      yield `Your sign-in would involve ${quoteText(named)} (${path}), which is not the address of the server.`;
    }
  }
  if (authProviderType !== undefined) yield 'It asks for a token of the Google credentials of this machine.';
}

function* characterWarnings(definition: JsonObject): Generator<string> {
  const foreign = [...stringValues(definition)]
    .filter(([, text]) => /[^\n\t\x20-\x7e]/.test(text))
    .map(([path]) => path);
  if (foreign.length > 0) {
    yield `There are characters outside of ASCII, which can look like others, in ${foreign.join(', ')}.`;
  }
}

/** Scheme, host and port of what a URL parser takes for a web address. */
function originOf(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value.includes('${') || !URL.canParse(value)) return undefined;
  const { protocol, origin } = new URL(value);
  return /^(?:https?|wss?):$/.test(protocol) ? origin.replace(/^ws/, 'http') : undefined;
}

function membersOf(value: JsonValue | undefined): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}
