/**
 * Effect of setting a variable. `dangerous`: it makes programs load or run other code, connect elsewhere, or read other files. `harmless`:
 * it is a credential or affects only language and output. `unknown`: every other variable.
 */
export type VariableRisk = 'dangerous' | 'harmless' | 'unknown';

const DANGEROUS: ReadonlySet<string> = new Set(
  `PATH PATHEXT COMSPEC HOME HOMEDRIVE HOMEPATH USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA SYSTEMROOT WINDIR
  TMPDIR TEMP TMP SHELL ENV IFS CDPATH FPATH KSH_ENV PS4 PROMPT_COMMAND ZDOTDIR SHELLOPTS INPUTRC PSMODULEPATH
  EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE VIMINIT EXINIT MYVIMRC EMACSLOADPATH TERMINFO TERMINFO_DIRS
  CLASSPATH PHPRC PHP_INI_SCAN_DIR TCLLIBPATH TCL_LIBRARY SBCL_HOME OCAMLRUNPARAM CAML_LD_LIBRARY_PATH OPAMROOT
  GOFLAGS GOPATH GOROOT GOPROXY GOENV GOTOOLCHAIN GONOSUMDB GOSUMDB GOBIN CC CXX CPP LD AR CPATH LIBRARY_PATH LIBPATH
  C_INCLUDE_PATH CPLUS_INCLUDE_PATH MAKEFLAGS MAKEFILES SHLIB_PATH NIX_PATH
  GCONV_PATH LOCPATH NLSPATH TEXTDOMAINDIR HOSTALIASES LOCALDOMAIN RES_OPTIONS QT_PLUGIN_PATH
  SVN_SSH HGRCPATH HGPLAIN CURL_HOME WGETRC NETRC KUBECONFIG AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE
  GOOGLE_APPLICATION_CREDENTIALS CLOUDSDK_CONFIG BOTO_CONFIG SSLKEYLOGFILE SSL_CERT_FILE SSL_CERT_DIR
  REQUESTS_CA_BUNDLE CURL_CA_BUNDLE AWS_CA_BUNDLE HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY
  SUDO_ASKPASS VIRTUAL_ENV CONDA_PREFIX PUPPETEER_EXECUTABLE_PATH CHROME_PATH`.split(/\s+/),
);

/** Prefixes of the variables that an interpreter, package manager or loader reads. */
const DANGEROUS_PREFIXES =
  `LD_ DYLD_ BASH PYTHON PERL RUBY GEM_ BUNDLE_ NODE_ NPM_ YARN_ PNPM_ COREPACK_ BUN_ DENO_
  ELECTRON_ JAVA_ JDK_ _JAVA_ MAVEN_ GRADLE_ KOTLIN_ DOTNET_ COR_ CORECLR_ COMPLUS_ MONO_ MSBUILD NUGET_ GIT_ SSH_ LUA_
  R_ JULIA_ CARGO RUSTC RUSTUP_ RUSTFLAGS ERL_ ELIXIR_ MIX_ HEX_ GUILE_ PIP_ PIPX_ PIPENV_ POETRY_ UV_ CONDA_ XDG_
  OPENSSL_ GTK_ GIO_ GST_ QT_ DOCKER_ CONTAINER_ PLAYWRIGHT_ MALLOC_ ASAN_ GLIBC_ LIBGL_ VK_ ODBC`.split(
    /\s+/,
  );

/** Exceptions to the prefixes. */
const HARMLESS_NAMES: ReadonlySet<string> = new Set(
  'NODE_ENV PYTHONUNBUFFERED PYTHONIOENCODING PYTHONUTF8 PYTHONDONTWRITEBYTECODE'.split(' '),
);

const HARMLESS =
  /^(?:(?:[A-Z0-9_]*_)?(?:API_?KEY|KEY|KEY_ID|TOKEN|SECRET|PASSWORD|PASSWD|CLIENT_ID|USERNAME)|LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|LOG_LEVEL)$/;

/** The risk of a variable, by its name. Ignores case, as Windows does. */
export function variableRisk(name: string): VariableRisk {
  const upper = name.toUpperCase();
  if (HARMLESS_NAMES.has(upper)) return 'harmless';
  if (DANGEROUS.has(upper) || DANGEROUS_PREFIXES.some((prefix) => upper.startsWith(prefix)))
    return 'dangerous';
  return HARMLESS.test(upper) ? 'harmless' : 'unknown';
}

/** The variables in `env` that have this risk. */
export function variablesWithRisk(env: unknown, risk: VariableRisk): readonly string[] {
  return environmentNames(env).filter((name) => variableRisk(name) === risk);
}

/** The names of the variables in `env`. */
export function environmentNames(env: unknown): readonly string[] {
  return typeof env === 'object' && env !== null ? Object.keys(env) : [];
}
