import { type Environment, withSafeSearch } from '@mcp-fittings/toolbox/programs';

/**
 * Names what a program needs to reach anything from behind a proxy that inspects TLS: certificate authorities, proxies, the
 * registry. These variables describe the network of this machine; they are not secrets of other programs.
 */
const NETWORK =
  /^(?:NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|NODE_USE_ENV_PROXY|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|GIT_SSL_CAINFO|(?:https?|all|no)_proxy|npm_config_registry)$/i;
/** Variables that also decide whether a program reaches the network, and may contain secrets. */
const NETWORK_LIKE =
  /^(?:npm_config_[\w-]*(?:proxy|ca|file|ssl|registry)|(?:pip|uv|deno|git)_\w*(?:index|url|cert|ssl|tls|proxy)\w*|node_options|aws_ca_bundle)$/i;

/** The variables of both official SDKs, and those for the locale and for temporary files. */
const SAFE_POSIX = [
  'HOME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
];
const SAFE_WINDOWS = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

/**
 * Returns the environment of a server. A value that begins like a shell function is never passed on: a vulnerable shell
 * executes what follows it (CVE-2014-6271).
 */
export function childEnvironment(
  parent: Environment,
  own: Readonly<Record<string, string>>,
  inherit: 'safe' | 'all' | readonly string[],
  platform: NodeJS.Platform,
): Record<string, string> {
  // On Windows `Path` and `PATH` are one variable; given both, the child would get whichever sorts first.
  const canonical = (name: string): string => (platform === 'win32' ? name.toUpperCase() : name);
  const safe = new Set(platform === 'win32' ? SAFE_WINDOWS : SAFE_POSIX);
  const named = new Set(typeof inherit === 'string' ? [] : inherit.map(canonical));
  const overridden = new Set(Object.keys(own).map(canonical));
  const passes = (name: string, value: string): boolean =>
    inherit === 'all' ||
    named.has(name) ||
    safe.has(name) ||
    (NETWORK.test(name) && !containsPassword(value));
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    if (value === undefined || value.startsWith('() {') || overridden.has(canonical(name))) continue;
    if (passes(canonical(name), value)) result[name] = value;
  }
  return withSafeSearch({ ...result, ...own }, platform);
}

/**
 * Returns the names of host variables that programs use to reach the network, and that this server does not get because they
 * were not requested or contain a password. The hint for a server that does not connect lists them.
 */
export function networkVariablesWithheld(parent: Environment, given: Environment): string[] {
  return Object.keys(parent).filter(
    (name) =>
      (parent[name] ?? '') !== '' &&
      given[name] === undefined &&
      (NETWORK.test(name) || NETWORK_LIKE.test(name)),
  );
}

/** `http://name:password@proxy:8080`, with or without a scheme. */
function containsPassword(value: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:)?[\\/]*[^\\/?#]*@/i.test(value.trim());
}
