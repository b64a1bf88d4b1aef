/** Which variables of the host process a server gets: what a program needs to run, everything, or these besides. */
export type InheritEnv = 'safe' | 'all' | readonly string[];

/** The variables of both official SDKs, and those that decide the language of texts and where temporary files go. */
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

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of a server. A value that begins like a shell function is never passed on: a vulnerable shell runs
 * what follows it (CVE-2014-6271).
 */
export function childEnvironment(
  parent: Environment,
  own: Readonly<Record<string, string>>,
  inherit: InheritEnv,
  platform: NodeJS.Platform,
): Record<string, string> {
  // On Windows `Path` and `PATH` are one variable; given both, the child would get whichever sorts first.
  const canonical = (name: string): string => (platform === 'win32' ? name.toUpperCase() : name);
  const passes = inheritedNames(inherit, platform);
  const overridden = new Set(Object.keys(own).map(canonical));
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    const wanted = passes === 'all' || passes.has(canonical(name));
    if (!wanted || value === undefined || overridden.has(canonical(name))) continue;
    if (!value.startsWith('() {')) result[name] = value;
  }
  return { ...result, ...own };
}

/** The value of a variable as the platform's own lookup finds it. */
export function variable(env: Environment, name: string, platform: NodeJS.Platform): string | undefined {
  if (platform !== 'win32') return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

function inheritedNames(inherit: InheritEnv, platform: NodeJS.Platform): 'all' | ReadonlySet<string> {
  if (inherit === 'all') return 'all';
  const safe = platform === 'win32' ? SAFE_WINDOWS : SAFE_POSIX;
  if (inherit === 'safe') return new Set(safe);
  return new Set([...safe, ...(platform === 'win32' ? inherit.map((name) => name.toUpperCase()) : inherit)]);
}
