import type { Environment } from '@mcp-fittings/toolbox/programs';
import { createRedactor, type Redactor } from '@mcp-fittings/toolbox/text';
import type { StdioTransportOptions } from './options.js';
import { childEnvironment, networkVariablesWithheld } from './process/environment.js';
import type { ChildStderr } from './process/spawn-failure.js';

/** The process to start, computed from the options and the current environment. */
export interface LaunchPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Variables of this process that programs use to reach the network, and that the child does not get. */
  readonly withheld: readonly string[];
  /** Target of the child's stderr. */
  readonly stderr: ChildStderr;
  /** Removes every known secret from a text. */
  readonly redact: Redactor;
}

export function planLaunch(options: StdioTransportOptions): LaunchPlan {
  const {
    command,
    args = [],
    env: configured = {},
    cwd,
    inheritEnv = 'safe',
    parentEnv = process.env,
    stderr,
    secrets: named = [],
  } = options;
  const env = childEnvironment(parentEnv, configured, inheritEnv, process.platform);
  return {
    command,
    args,
    env,
    cwd,
    withheld: networkVariablesWithheld(parentEnv, env),
    stderr: stderr === undefined || stderr === 'capture' || typeof stderr === 'function' ? 'pipe' : stderr,
    redact: createRedactor(collectSecrets({ env, configured, args, named })),
  };
}

const SECRET_NAME = /token|secret|passw|pwd|key|credential|auth|cookie|session/i;
/** `--token=x`, `--api-key=x`; or `--token`, when the value is the next argument. */
const SECRET_FLAG = /^--?[\w.-]*(?:token|secret|passw|key|credential|auth)[\w.-]*(?:=(?<value>.+))?$/is;

/**
 * Returns the texts that must not appear in an error or a log: every configured variable except the address of a server, inherited
 * variables and arguments whose name suggests a secret, the credentials and the query of URLs, and the texts that the host names.
 */
export function collectSecrets(plan: {
  readonly env: Environment;
  readonly configured: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly named: readonly string[];
}): string[] {
  const inherited = Object.entries(plan.env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? [value] : [],
  );
  const configured = Object.values(plan.configured).filter((value) => !isAddress(value));
  const within = [...configured, ...plan.args.map((arg) => arg.replace(/^-[^=]*=/, ''))].flatMap(
    secretsInUrl,
  );
  const all = [...configured, ...inherited, ...secretArguments(plan.args), ...within, ...plan.named];
  // A key file is printed line by line.
  return [...new Set(all.flatMap((secret) => [secret, ...secret.split(/\r?\n/)]))];
}

function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const match = SECRET_FLAG.exec(arg);
    if (match === null) return [];
    const value = match.groups?.['value'] ?? args[index + 1];
    return value === undefined || value.startsWith('-') ? [] : [value];
  });
}

/** Returns whether a value is a URL with nothing but an origin. Errors name addresses, and some ask the user to visit a page there. */
function isAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { origin, href } = new URL(value);
  return href === origin || href === `${origin}/`;
}

function secretsInUrl(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, password, searchParams } = new URL(text);
  return [username, password].flatMap((part) => [part, decoded(part)]).concat(...searchParams.values());
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A lone percent sign: it is found as it is.
    return part;
  }
}
