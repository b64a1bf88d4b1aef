import { secretsOfEntry } from '@mcp-fittings/toolbox/entries';
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
    redact: createRedactor(
      secretsOfEntry({
        env: [...Object.values(configured).filter((value) => !isAddress(value)), ...named],
        inherited: env,
        args,
      }),
    ),
  };
}

/** Returns whether a value is a URL with nothing but an origin. Errors name addresses, and some ask the user to visit a page there. */
function isAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { origin, href } = new URL(value);
  return href === origin || href === `${origin}/`;
}
