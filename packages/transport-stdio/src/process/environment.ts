import { type Environment, withSafeSearch } from '@mcp-fittings/toolbox/programs';

/**
 * Names what a program needs to reach anything from behind a proxy that inspects TLS: certificate authorities, proxies, the
 * registry. These variables describe the network of this machine; they are not secrets of other programs.
 */
const NETWORK = [
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'NODE_USE_ENV_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'HTTP_PROXY',
  'http_proxy',
  'HTTPS_PROXY',
  'https_proxy',
  'ALL_PROXY',
  'all_proxy',
  'NO_PROXY',
  'no_proxy',
  'npm_config_registry',
];
/** Variables that also decide whether a program reaches the network, and may contain secrets. */
const NETWORK_LIKE =
  /^(?:npm_config_(?:https?_?-?proxy|proxy|noproxy|cafile|ca|strict_ssl|registry|userconfig|globalconfig)|npm_config_https-proxy|pip_(?:index_url|extra_index_url|cert|proxy|trusted_host|config_file)|uv_(?:index|index_url|default_index|extra_index_url|native_tls|system_certs|config_file)|node_(?:options|tls_reject_unauthorized)|aws_ca_bundle|deno_cert|deno_tls_ca_store|git_ssl_[a-z]+|git_proxy_command)$/i;

/** Runtimes by the commands that start them, and their own variables among the ones above. */
const RUNTIMES = [
  { commands: /^(?:node|npm|npx|pnpm|pnpx|yarn|bun|bunx|tsx)$/, variables: /^(?:npm|node)_/i },
  { commands: /^(?:python|py|pip|pipx|uv|uvx|poetry|pdm|hatch|conda)$/, variables: /^(?:pip|uv)_/i },
  // It reads the settings of npm for packages from there.
  { commands: /^deno$/, variables: /^(?:npm|deno)_/i },
];

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
  const passes = inheritedNames(inherit, platform);
  const named = (name: string): boolean =>
    inherit === 'all' ||
    (inherit !== 'safe' && inherit.some((asked) => canonical(asked) === canonical(name)));
  const overridden = new Set(Object.keys(own).map(canonical));
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    const wanted = passes === 'all' || passes.has(canonical(name));
    if (!wanted || value === undefined || overridden.has(canonical(name))) continue;
    if (value.startsWith('() {') || (isNetwork(name, platform) && !named(name) && containsPassword(value)))
      continue;
    result[name] = value;
  }
  return withSafeSearch({ ...result, ...own }, platform);
}

/**
 * Returns the names of host variables that programs use to reach the network, and that this server does not get because they
 * were not requested or contain a password. The hint for a server that does not connect lists them. If the command is that of a
 * known runtime, the variables of others are left out.
 */
export function networkVariablesWithheld(
  parent: Environment,
  given: Environment,
  platform: NodeJS.Platform,
  command: string,
): string[] {
  const program = command
    .replace(/^.*[\\/]/, '')
    .replace(/[\d.]*(?:\.(?:exe|cmd|bat))?$/i, '')
    .toLowerCase();
  const own = RUNTIMES.find(({ commands }) => commands.test(program));
  const isOfOther = (name: string): boolean =>
    own !== undefined && !own.variables.test(name) && RUNTIMES.some(({ variables }) => variables.test(name));
  return Object.entries(parent).flatMap(([name, value]) =>
    value !== undefined &&
    value !== '' &&
    given[name] === undefined &&
    (isNetwork(name, platform) || (NETWORK_LIKE.test(name) && !isOfOther(name)))
      ? [name]
      : [],
  );
}

function isNetwork(name: string, platform: NodeJS.Platform): boolean {
  return NETWORK.some((known) =>
    platform === 'win32' ? known.toUpperCase() === name.toUpperCase() : known === name,
  );
}

/** `http://name:password@proxy:8080`, with or without a scheme. */
function containsPassword(value: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:)?[\\/]*[^\\/?#]*@/i.test(value.trim());
}

function inheritedNames(
  inherit: 'safe' | 'all' | readonly string[],
  platform: NodeJS.Platform,
): 'all' | ReadonlySet<string> {
  if (inherit === 'all') return 'all';
  const safe =
    platform === 'win32'
      ? [...SAFE_WINDOWS, ...NETWORK.map((name) => name.toUpperCase())]
      : [...SAFE_POSIX, ...NETWORK];
  if (inherit === 'safe') return new Set(safe);
  return new Set([...safe, ...(platform === 'win32' ? inherit.map((name) => name.toUpperCase()) : inherit)]);
}
