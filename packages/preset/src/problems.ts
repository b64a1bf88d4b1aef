import type { ErrorCode, FittingsError } from '@mcp-fittings/client-core';
import { type ConfigProblem, type ConfigProblemCode, formatProblem } from '@mcp-fittings/config';
import type { Host } from '@mcp-fittings/host';
import { sanitizeText } from '@mcp-fittings/toolbox/text';

/** Something that keeps a file or a server from being used as it is meant, or that the user should look at. */
export interface HostProblem {
  /** The whole problem as one line that is safe to print: where it is, what is wrong, and what to do about it. */
  readonly text: string;
  /** Stable code to test for: that of a problem of the configuration, or that of an error of a server. */
  readonly code: ConfigProblemCode | ErrorCode;
  /** `error`: a file or a server is not used. `warning`: the user should look at it. */
  readonly severity: 'error' | 'warning';
  /** Name of the server that it is about. Undefined if it is about a file, or about all servers. */
  readonly server?: string | undefined;
  /** Path of the file with the mistake. Undefined if it is not about a file. */
  readonly file?: string | undefined;
  /** Line in {@link file}, from 1. */
  readonly line?: number | undefined;
}

/** Returns the problems of a configuration, without those that need no action. */
export function configProblems(problems: readonly ConfigProblem[]): readonly HostProblem[] {
  return problems.flatMap((problem) => {
    const { code, severity, server, file, line } = problem;
    return severity === 'info' ? [] : [{ text: formatProblem(problem), code, severity, server, file, line }];
  });
}

/** Returns why servers cannot be called now. */
export function serverProblems(host: Pick<Host, 'servers'>): readonly HostProblem[] {
  return host.servers().flatMap(({ name, state }) => {
    if (state.status === 'failed') return [errorProblem(state.error, name)];
    return state.status === 'needs-auth'
      ? [errorProblem(state.error, name, 'Call signIn() to sign in.')]
      : [];
  });
}

/** Returns an error as a problem. */
export function errorProblem(error: FittingsError, server?: string, hint = error.hint): HostProblem {
  const { code, message } = error;
  const text = ['error', ...(server === undefined ? [] : [server]), message].join(': ');
  return {
    text: sanitizeText(hint === undefined ? text : `${text} ${hint}`, { maxLength: 4_000 }),
    code,
    severity: 'error',
    server,
  };
}
