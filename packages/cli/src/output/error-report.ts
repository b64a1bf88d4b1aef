import { FittingsError } from '@mcp-fittings/client-core';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { hintForUser } from './hints.js';
import type { Output } from './output.js';
import { printable, printableBlock } from './printable.js';

/** An error as `--json` shows it. It is also a part of results, for example of `status`. */
export interface ErrorJson {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly server?: string | undefined;
  readonly delivery?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export function errorJson(error: unknown): ErrorJson {
  if (!(error instanceof FittingsError)) return { code: 'UNEXPECTED', message: String(error) };
  const { code, message, server, delivery, details } = error;
  return {
    code,
    message,
    hint: hintForUser(error),
    server,
    delivery,
    ...(Object.keys(details).length > 0 && { details }),
  };
}

/**
 * Converts an error caused by Ctrl-C to one with a fixed message. It keeps `delivery` of the request, and the hint of a
 * command that explains it.
 */
export function unlessInterrupted(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted && !isInterruption(error)) return error;
  const { delivery, hint, code } = error instanceof FittingsError ? error : ({} as Partial<FittingsError>);
  return new FittingsError('ABORTED', 'Interrupted.', {
    cause: error,
    delivery,
    hint: code === 'ABORTED' ? hint : undefined,
  });
}

function isInterruption(error: unknown): boolean {
  for (
    let cause = error, depth = 0;
    cause instanceof Error && depth < MOST_CAUSES;
    cause = cause.cause, depth++
  ) {
    if (!(cause instanceof FittingsError)) continue;
    if (cause.code === 'ABORTED') return true;
    // A timeout aborts requests in the same way as the user.
    if (cause.code === 'TIMEOUT') return false;
  }
  return false;
}

/** Returns the exit code for an error. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof FittingsError)) return EXIT.failed;
  switch (error.code) {
    case 'ABORTED':
      return EXIT.interrupted;
    case 'APPROVAL_REQUIRED':
    case 'POLICY_DENIED':
      return EXIT.approval;
    case 'ARGUMENTS_INVALID':
    case 'TOOL_UNKNOWN':
      return EXIT.usage;
    default:
      break;
  }
  switch (error.kind) {
    case 'config':
      return EXIT.config;
    case 'auth':
      return EXIT.auth;
    case 'network-temporary':
    case 'network-permanent':
      return EXIT.network;
    default:
      return EXIT.failed;
  }
}

/**
 * Prints an error as one line with its hint. `--verbose` adds the code, details and causes; `--json` prints it to stdout
 * as data, also in one line, because others may come before it.
 */
export function reportError(error: unknown, output: Output): void {
  const json = errorJson(error);
  if (output.json) output.event({ error: json }, () => '');
  else output.note(errorLine(error, output.noteStyle));
  for (const line of errorDetails(error)) output.detail(`  ${line}`);
}

/** Formats an error: `error: what happened. What to do.` */
export function errorLine(error: unknown, style: Output['noteStyle']): string {
  const { message, hint, server } = errorJson(error);
  const of = server === undefined || message.includes(`"${server}"`) ? '' : `${printable(server)}: `;
  const advice = hint === undefined ? '' : ` ${style.dim(printable(hint))}`;
  return `${style.red('error:')} ${of}${printable(message)}${advice}`;
}

const MOST_CAUSES = 8;

function* errorDetails(error: unknown): Generator<string> {
  if (error instanceof FittingsError) {
    yield `code: ${error.code}, kind: ${error.kind}, retryable: ${error.retryable ? 'yes' : 'no'}`;
    if (error.delivery !== undefined) yield `delivery: ${error.delivery}`;
    for (const [name, value] of Object.entries(error.details))
      if (value !== undefined) yield `${name}: ${indented(String(value))}`;
  } else if (error instanceof Error) yield indented(error.stack ?? error.message);
  let cause = error instanceof Error ? error.cause : undefined;
  for (let depth = 0; cause !== undefined && depth < MOST_CAUSES; depth++) {
    yield `caused by: ${cause instanceof Error ? `${cause.name}: ${printable(cause.message)}` : printable(String(cause))}`;
    cause = cause instanceof Error ? cause.cause : undefined;
  }
}

function indented(text: string): string {
  return printableBlock(text, 4_000).trim().replaceAll('\n', '\n    ');
}
