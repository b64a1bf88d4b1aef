import { quoteText } from '../display-text.js';
import { isEncryptedOrLocal } from '../entry/url-issues.js';
import type { JsonObject, JsonValue } from '../jsonc/json-value.js';
import { variablesWithRisk } from '../variables/risk.js';
import { ALL_VARIABLES, inheritedVariables, stringValues } from '../variables/syntax.js';

const SHELLS =
  /^(?:.*[/\\])?(?:sh|bash|zsh|dash|ksh|fish|cmd|powershell|pwsh|wsl|osascript|env|sudo|eval)(?:\.exe)?$/i;
/** Values of `proxy` that do not select a proxy of the definition's own. */
const NO_OWN_PROXY: ReadonlySet<JsonValue | undefined> = new Set([undefined, 'env', 'none']);
const SIGN_IN_ADDRESSES = ['authorizationUrl', 'tokenUrl', 'authServerMetadataUrl', 'allowedEndpointOrigins'];

/** Reasons to look twice at a definition, one sentence each. */
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
    yield `It runs ${quoteText(command)}, which can run any other program that its arguments name.`;
  }
  const dangerous = variablesWithRisk(env, 'dangerous').map(quoteText);
  if (dangerous.length > 0)
    yield `It sets ${dangerous.join(', ')}, which can make the program run other code.`;
  const unknown = variablesWithRisk(env, 'unknown').map(quoteText);
  if (unknown.length > 0) {
    yield `It sets ${unknown.join(', ')}. The effect of that on the program is unknown.`;
  }
  if (inheritedVariables(definition).has(ALL_VARIABLES)) {
    yield 'It would receive your whole environment, with every secret in it.';
  }
}

function* connectionWarnings(definition: JsonObject): Generator<string> {
  const { proxy, ca, allowAddresses } = definition;
  const url = urlOf(definition);
  if (typeof url === 'string' && !isEncryptedOrLocal(url))
    yield 'It connects to the server without encryption.';
  if (!NO_OWN_PROXY.has(proxy)) {
    yield 'It sets a proxy. All traffic goes through it, including your sign-in to this server.';
  }
  if (ca !== undefined) {
    yield 'It sets its own certificate authorities. Their owner can read all traffic, including your sign-in to this server.';
  }
  if (allowAddresses !== undefined) yield 'It permits sign-in URLs in your private network.';
}

function* signInWarnings(definition: JsonObject): Generator<string> {
  const { oauth, authProviderType } = definition;
  if (membersOf(oauth).some((name) => SIGN_IN_ADDRESSES.includes(name))) {
    yield 'It sets the sign-in URLs itself, in place of those that the server announces.';
  }
  const own = originOf(urlOf(definition));
  for (const [path, text] of stringValues({ oauth: oauth ?? null })) {
    const origin = originOf(text);
    // A text with a variable could become any URL.
    const named = origin ?? (text.includes('$') && /url|issuer|endpoint/i.test(path) ? text : undefined);
    if (named !== undefined && named !== own) {
      yield `Your sign-in would involve ${quoteText(named)} (${path}), which is not the server's own address.`;
    }
  }
  if (authProviderType !== undefined)
    yield 'It requests a token with the Google credentials of this machine.';
}

/** Returns the URL of the server, by whichever of its names. */
function urlOf({ url, httpUrl, serverUrl }: JsonObject): JsonValue | undefined {
  return url ?? httpUrl ?? serverUrl;
}

function* characterWarnings(definition: JsonObject): Generator<string> {
  const foreign = [...stringValues(definition)]
    .filter(([, text]) => /[^\n\t\x20-\x7e]/.test(text))
    .map(([path]) => path);
  if (foreign.length > 0) {
    yield `It has non-ASCII characters, which can look like other characters, in ${foreign.join(', ')}.`;
  }
}

/** The origin of an HTTP or WebSocket URL, with the scheme as `http:` or `https:`; undefined for any other text. */
function originOf(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value.includes('${') || !URL.canParse(value)) return undefined;
  const { protocol, origin } = new URL(value);
  return /^(?:https?|wss?):$/.test(protocol) ? origin.replace(/^ws/, 'http') : undefined;
}

function membersOf(value: JsonValue | undefined): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}
