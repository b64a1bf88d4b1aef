import type { Environment } from './variable.js';

const SECRET_NAME = /token|secret|passw|pwd|key|credential|auth|cookie|session/i;
/** `--token=x`, `--api-key=x`; or `--token`, when the value is the next argument. */
const SECRET_FLAG = /^--?[\w.-]*(?:token|secret|passw|key|credential|auth)[\w.-]*(?:=(?<value>.+))?$/is;

/**
 * The texts that must not show in an error or a log: every configured variable, inherited variables and arguments
 * whose name says that they are secret, and what the host names.
 */
export function secretsOf(plan: {
  readonly env: Environment;
  readonly configured: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly named: readonly string[];
}): string[] {
  const inherited = Object.entries(plan.env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? [value] : [],
  );
  const all = [...Object.values(plan.configured), ...inherited, ...secretArgs(plan.args), ...plan.named];
  // A key file is printed line by line.
  return [...new Set(all.flatMap((secret) => [secret, ...secret.split(/\r?\n/)]))];
}

function secretArgs(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const match = SECRET_FLAG.exec(arg);
    if (match === null) return [];
    const value = match.groups?.['value'] ?? args[index + 1];
    return value === undefined || value.startsWith('-') ? [] : [value];
  });
}
