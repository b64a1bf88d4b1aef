import { createRedactor, type Redactor } from '@mcp-fittings/client-core/transport';
import type { StdioTransportOptions } from './options.js';
import { childEnvironment, networkVariablesWithheld } from './process/environment.js';
import { secretsOf } from './process/secrets.js';
import type { ChildStderr } from './process/stderr-target.js';

/** What is started, worked out of the options and of the environment as it is now. */
export interface LaunchPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Variables of this process by which programs reach the network, and which the child does not get. */
  readonly withheld: readonly string[];
  /** What the child's stderr is connected to. */
  readonly stderr: ChildStderr;
  /** Takes everything secret out of a text. */
  readonly redact: Redactor;
}

export function planLaunch(options: StdioTransportOptions): LaunchPlan {
  const {
    command,
    args = [],
    env: configured = {},
    cwd,
    inheritEnv = 'safe',
    stderr,
    secrets: named = [],
  } = options;
  const env = childEnvironment(process.env, configured, inheritEnv, process.platform);
  return {
    command,
    args,
    env,
    cwd,
    withheld: networkVariablesWithheld(process.env, env, process.platform),
    stderr: stderr === undefined || stderr === 'capture' || typeof stderr === 'function' ? 'pipe' : stderr,
    redact: createRedactor(secretsOf({ env, configured, args, named })),
  };
}
