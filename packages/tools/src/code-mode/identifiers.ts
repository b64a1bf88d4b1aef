import { freeName, groupBy, hashPair } from '../names/keys.js';
import { RESERVED_WORDS } from './source-text.js';

const MAX_LENGTH = 64;
const HASH_LENGTHS = [8, 16, 26];

/** Rules for the place where a name stands: some names mean something else there. */
export interface NameUse {
  /** Replaces a name of which nothing is left. */
  readonly fallback: string;
  /** If true, only letters of ASCII are kept. Other letters depend on the version of Unicode that a compiler knows. */
  readonly ascii: boolean;
  /** Returns a name that may be used instead of this one; the same if it may be used. */
  allowed(name: string): string;
}

/** A function of a server: `github.createIssue`. */
export const FUNCTION_NAMES: NameUse = {
  fallback: 'tool',
  ascii: false,
  allowed: (name) => (OBJECT_MEMBERS.has(name) ? `${name}_` : name),
};

/** The variable of a server: `github`. */
export const SERVER_NAMES: NameUse = {
  fallback: 'server',
  ascii: true,
  allowed: (name) =>
    RESERVED_WORDS.has(name) || GLOBALS.has(name) || /^on[a-z]+$/.test(name) ? `${name}Tools` : name,
};

/**
 * Gives each of several names a different identifier, in camel case. It depends on the set of names and not on their order:
 * if two want the same identifier, the one that is spelled so keeps it, and the others get a hash.
 */
export function createIdentifiers(names: Iterable<string>, use: NameUse): ReadonlyMap<string, string> {
  const groups = groupBy([...new Set(names)].toSorted(byCodeUnits), (name) => wantedIdentifier(name, use));
  const identifiers = new Map<string, string>();
  const taken = new Set<string>(groups.keys());
  for (const [wanted, group] of groups) {
    const keeper = group.length === 1 ? group[0] : group.find((name) => name === wanted);
    for (const name of group) identifiers.set(name, name === keeper ? wanted : hashed(wanted, name, taken));
  }
  return identifiers;
}

function hashed(wanted: string, name: string, taken: Set<string>): string {
  for (const length of HASH_LENGTHS) {
    const candidate = `${wanted}_${hashPair('', name).slice(0, length)}`;
    if (taken.has(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
  // 104 bits of a hash are equal only for the same name, and no two names are the same.
  return freeName(wanted, taken);
}

function wantedIdentifier(name: string, use: NameUse): string {
  const words = wordsOf(name, use.ascii);
  const lost = use.ascii && /[^\p{ASCII}]/u.test(name);
  const camel = words.map((word, index) => (index === 0 ? lowerFirst(word) : upperFirst(word))).join('');
  let identifier = camel === '' ? use.fallback : /^\p{ID_Start}/u.test(camel) ? camel : `_${camel}`;
  const isCut = identifier.length > MAX_LENGTH;
  if (isCut) identifier = identifier.slice(0, MAX_LENGTH - 9).replace(/[\ud800-\udbff]$/, '');
  return isCut || lost || camel === ''
    ? `${identifier}_${hashPair('', name).slice(0, 8)}`
    : use.allowed(identifier);
}

/** Returns the parts of a name that are letters and digits. */
function wordsOf(name: string, ascii: boolean): readonly string[] {
  const separator = ascii ? /[^A-Za-z0-9]+/ : /(?:\P{ID_Continue}|\p{Pc}|\p{Default_Ignorable_Code_Point})+/u;
  // Two names that look the same because only one is composed are spelled the same, and so told apart.
  const words = name
    .slice(0, 1_024)
    .normalize('NFC')
    .split(separator)
    .filter((word) => word !== '');
  // `GET_ISSUE` is `getIssue`, and `getURL` stays.
  return /\p{Ll}/u.test(name) ? words : words.map((word) => word.toLowerCase());
}

/** `URLs` stays, and `URL` and `Read` begin with a small letter. */
function lowerFirst(word: string): string {
  if (/^\p{Lu}+$/u.test(word)) return word.toLowerCase();
  return word.replace(/^\p{Lu}/u, (first) => first.toLowerCase());
}

export const upperFirst = (word: string): string => word.replace(/^\p{Ll}/u, (first) => first.toUpperCase());

/** Returns `OrderItem` for `order-item`. Empty if there are no letters or digits of ASCII. */
export function pascalCase(text: string): string {
  const words = wordsOf(text, true).map((word) => upperFirst(word));
  return words.join('').slice(0, 40);
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Names that every object has, or that JavaScript calls by itself: an object with `then` is taken for a promise. */
const OBJECT_MEMBERS: ReadonlySet<string> = new Set(
  (
    '__proto__ constructor hasOwnProperty isPrototypeOf propertyIsEnumerable prototype then toJSON toLocaleString toString ' +
    'valueOf'
  ).split(' '),
);

/** Variables of JavaScript, browsers and Node.js, and those of the bindings. */
const GLOBALS: ReadonlySet<string> = new Set(
  (
    'addEventListener alert atob blur btoa caches callTool cancelAnimationFrame cancelIdleCallback captureEvents ' +
    'clearImmediate clearInterval clearTimeout clientInformation close closed confirm console cookieStore ' +
    'createImageBitmap crossOriginIsolated crypto customElements decodeURI decodeURIComponent devicePixelRatio ' +
    'dispatchEvent document encodeURI encodeURIComponent escape eval event exports external fetch focus fonts ' +
    'frameElement frames getComputedStyle getSelection global globalThis history importScripts indexedDB ' +
    'innerHeight innerWidth isFinite isNaN isSecureContext length localStorage location locationbar matchMedia mcp ' +
    'menubar module moveBy moveTo name navigator node open opener orientation origin originAgentCluster ' +
    'outerHeight outerWidth pageXOffset pageYOffset parent parseFloat parseInt performance personalbar postMessage ' +
    'print process prompt queueMicrotask releaseEvents removeEventListener reportError requestAnimationFrame ' +
    'requestIdleCallback require resizeBy resizeTo screen screenLeft screenTop screenX screenY scroll scrollBy ' +
    'scrollTo scrollX scrollY scrollbars self sessionStorage setImmediate setInterval setTimeout speechSynthesis ' +
    'status statusbar stop structuredClone toString toolbar top unescape visualViewport webkitURL window'
  ).split(' '),
);
