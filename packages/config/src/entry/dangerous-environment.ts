/** Variables that make programs load or run other code, talk to another place, or look elsewhere for their files. */
const NAMES: ReadonlySet<string> = new Set([
  'PATH',
  'PATHEXT',
  'COMSPEC',
  'HOME',
  'SHELL',
  'ENV',
  'IFS',
  'BASH_ENV',
  'BASHOPTS',
  'SHELLOPTS',
  'PS4',
  'PROMPT_COMMAND',
  'ZDOTDIR',
  'EDITOR',
  'VISUAL',
  'PAGER',
  'BROWSER',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_EXTRA_CA_CERTS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_REPL_EXTERNAL_MODULE',
  'ELECTRON_RUN_AS_NODE',
  'BUN_OPTIONS',
  'PYTHONPATH',
  'PYTHONHOME',
  'PYTHONSTARTUP',
  'PYTHONINSPECT',
  'PYTHONBREAKPOINT',
  'PERL5LIB',
  'PERL5OPT',
  'PERL5DB',
  'RUBYLIB',
  'RUBYOPT',
  'CLASSPATH',
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  '_JAVA_OPTIONS',
  'DOTNET_STARTUP_HOOKS',
  'GCONV_PATH',
  'LOCPATH',
  'NLSPATH',
  'OPENSSL_CONF',
  'OPENSSL_MODULES',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
]);

const PREFIXES = [
  'LD_',
  'DYLD_',
  'BASH_FUNC_',
  'GIT_',
  'NPM_CONFIG_',
  'PIP_',
  'UV_',
  'COR_PROFILER',
  'CORECLR_',
];

/** Whether a variable can turn a harmless command into another one. Case does not matter, as on Windows. */
export function isDangerousVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return NAMES.has(upper) || PREFIXES.some((prefix) => upper.startsWith(prefix));
}

/** The dangerous variables that an entry sets. */
export function dangerousVariables(env: unknown): readonly string[] {
  return typeof env === 'object' && env !== null ? Object.keys(env).filter(isDangerousVariable) : [];
}
