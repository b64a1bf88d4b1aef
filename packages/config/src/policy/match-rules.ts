import { matchesWildcard } from '@mcp-fittings/toolbox/text';

/** Matches any further arguments at the end of a rule. */
const REST = '**';

/**
 * Returns true if a rule matches a command. An allow rule matches the same program, written the same way, with exactly these arguments. A
 * deny rule also matches the program with any path, in any case, with a Windows extension, and with further arguments.
 */
export function commandMatches(
  rule: readonly string[],
  command: readonly string[],
  list: 'allow' | 'deny',
): boolean {
  const open = list === 'deny' || rule.at(-1) === REST;
  const patterns = rule.at(-1) === REST ? rule.slice(0, -1) : rule;
  if (open ? command.length < patterns.length : command.length !== patterns.length) return false;
  return patterns.every((pattern, index) => {
    const part = command[index] ?? '';
    if (index > 0 || list === 'allow') return matchesWildcard(part, pattern);
    return matchesWildcard(part, pattern) || matchesWildcard(programName(part), programName(pattern));
  });
}

function programName(program: string): string {
  const name = program.split(/[/\\]/).at(-1) ?? program;
  return name.toLowerCase().replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');
}

interface UrlPattern {
  readonly scheme: string | undefined;
  readonly host: string;
  readonly port: string | undefined;
  readonly path: string | undefined;
}

/** A Unix socket or a named pipe, which has no host. */
const SOCKET_PATTERN = /^(unix|pipe):\/\/(\/[^?#]+)$/i;
const PATTERN = /^(?:([a-z][a-z0-9+.-]*|\*):\/\/)?(\[[0-9a-f:.]+\]|[^/:?#@[\]]+)(?::(\d+|\*))?(\/[^?#]*)?$/i;
/** Replaces `*` while the URL parser canonicalizes the host (punycode, case, full-width dots). */
const STAR = 'zz-star-zz';

/**
 * Returns true if a rule matches a URL. Compares canonical hosts, so that case, a trailing dot, user info and Unicode spelling do not
 * matter. A deny rule ignores the scheme, and without a port it matches any port; an allow rule compares the scheme, and without a port it
 * matches the default port. A rule or URL that cannot be parsed matches every deny list and no allow list.
 */
export function urlMatches(rule: string, url: string, list: 'allow' | 'deny'): boolean {
  const pattern = parsePattern(rule);
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (pattern === undefined || target === undefined) return list === 'deny';
  return (
    schemeMatches(pattern, target, list) &&
    hostMatches(pattern.host, canonicalHost(target.hostname)) &&
    portMatches(pattern, target, list) &&
    pathMatches(pattern.path, target.pathname, list)
  );
}

/** Returns true if a text is a valid URL rule. */
export function isUrlRule(rule: string): boolean {
  return parsePattern(rule) !== undefined;
}

function parsePattern(rule: string): UrlPattern | undefined {
  const socket = SOCKET_PATTERN.exec(rule);
  if (socket !== null)
    return { scheme: socket[1]?.toLowerCase(), host: '', port: undefined, path: socket[2] };
  const [, scheme, rawHost, port, path] = PATTERN.exec(rule) ?? [];
  if (rawHost === undefined) return undefined;
  // A label that mixes `*` and Unicode cannot be converted to punycode.
  if (rawHost.split('.').some((label) => label.includes('*') && /[^ -~]/.test(label))) return undefined;
  const probe = `https://${rawHost.replaceAll('*', STAR)}`;
  if (!URL.canParse(probe)) return undefined;
  const host = canonicalHost(new URL(probe).hostname).replaceAll(STAR, '*');
  return { scheme: scheme?.toLowerCase(), host, port, path };
}

function canonicalHost(host: string): string {
  let end = host.length;
  while (host.charAt(end - 1) === '.') end--;
  return host.slice(0, end).toLowerCase();
}

function schemeMatches({ scheme }: UrlPattern, target: URL, list: 'allow' | 'deny'): boolean {
  return list === 'deny' || scheme === undefined || scheme === '*' || `${scheme}:` === target.protocol;
}

/** A leading `*.` matches one or more labels; any other `*` matches within one label. */
function hostMatches(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  const deep = pattern.startsWith('*.');
  const wanted = (deep ? pattern.slice(2) : pattern).split('.');
  const labels = host.split('.');
  if (deep ? labels.length <= wanted.length : labels.length !== wanted.length) return false;
  return labels.slice(-wanted.length).every((label, index) => matchesWildcard(label, wanted[index] ?? ''));
}

function portMatches({ port }: UrlPattern, target: URL, list: 'allow' | 'deny'): boolean {
  if (port === '*') return true;
  // The URL parser omits the default port of a scheme.
  if (port === undefined) return list === 'deny' || target.port === '';
  return port === (target.port === '' ? defaultPort(target.protocol) : target.port);
}

function defaultPort(protocol: string): string {
  return protocol === 'https:' || protocol === 'wss:' ? '443' : '80';
}

/** A deny rule also matches every path below its own, and ignores case, doubled slashes and percent-encoding. */
function pathMatches(pattern: string | undefined, path: string, list: 'allow' | 'deny'): boolean {
  if (pattern === undefined) return true;
  const plain = decodedPath(path);
  // The server may interpret `..` and malformed escapes differently.
  if (plain === undefined || plain.split('/').includes('..')) return list === 'deny';
  if (list === 'allow') return [path, plain].every((form) => matchesWildcard(form, pattern));
  const wanted = pattern.toLowerCase().replace(/\/+$/, '');
  return [path, plain].some((form) => {
    const folded = form.toLowerCase().replace(/\/{2,}/g, '/');
    return matchesWildcard(folded, wanted) || matchesWildcard(folded, `${wanted}/*`);
  });
}

function decodedPath(path: string): string | undefined {
  try {
    return decodeURIComponent(path).replaceAll('\\', '/');
  } catch {
    return undefined;
  }
}
