import { sanitizeText } from '@mcp-fittings/toolbox/text';

/** General meaning of a problem code. */
export interface ProblemCodeInfo {
  /**
   * Severity of a problem with this code, unless {@link ConfigProblem.severity} differs. `error`: a file or a server is not
   * used. `warning`: the user should look at it. `info`: nothing needs to be done.
   */
  readonly severity: 'error' | 'warning' | 'info';
  /** One sentence that explains the code, for a reference. */
  readonly meaning: string;
}

const code = (severity: ProblemCodeInfo['severity'], meaning: string): ProblemCodeInfo => ({
  severity,
  meaning,
});

/** Severity and meaning of every {@link ConfigProblemCode}. */
export const CONFIG_PROBLEM_CODES = {
  // files
  FILE_MISSING: code('error', 'A file named on the command line does not exist.'),
  FILE_UNREADABLE: code('error', 'The file exists and cannot be read.'),
  FILE_NOT_REGULAR: code('error', 'The path is a directory, a pipe, a device or a socket.'),
  FILE_SYMLINK: code('error', 'A symbolic link points outside of the project.'),
  FILE_TOO_LARGE: code('error', 'The file exceeds the size limit.'),
  FILE_OWNER: code('error', 'The file belongs to another user, or other users may change it.'),
  HOME_REFUSED: code(
    'warning',
    '`HOME` is inside the project; the home directory of the account is used instead.',
  ),
  ENCODING_INVALID: code('error', 'The file is not UTF-8.'),

  // JSON
  JSON_SYNTAX: code('error', 'The text is not JSON. Comments and trailing commas are allowed.'),
  JSON_TOO_DEEP: code('error', 'Values are nested deeper than the limit.'),
  JSON_DUPLICATE_KEY: code(
    'error',
    'An object has the same key twice, so that two programs could read different values.',
  ),
  JSON_KEY_REFUSED: code('error', 'A key has a special meaning in JavaScript, such as `__proto__`.'),
  JSON_VALUE_REFUSED: code('error', 'A string contains a lone surrogate, or a number is not finite.'),
  SHAPE_INVALID: code('error', 'A value is not the object that is expected there.'),
  SERVERS_MISSING: code('info', 'The file has no servers under the expected key.'),
  TOO_MANY_SERVERS: code('error', 'The file defines more servers than the limit.'),

  // entries
  NAME_INVALID: code('error', 'The name of the server is invalid.'),
  NAME_CONFUSABLE: code('warning', 'Two servers have names that are easily confused.'),
  FIELD_INVALID: code('error', 'A field of the entry is missing or invalid.'),
  FIELD_IGNORED: code('warning', 'The entry has a field that has no effect here.'),
  FIELD_SUSPICIOUS: code('warning', 'A field of the entry most likely means something else than it says.'),
  RESTRICTED: code(
    'info',
    'A word of another program, in the entry or in a file, switches off the server or some of its tools.',
  ),
  TYPE_MISSING: code('error', 'The entry has neither `type` nor `command` nor `url`.'),
  TYPE_CONFLICT: code('error', 'Two fields of the entry contradict each other about the transport.'),
  TYPE_UNKNOWN: code('warning', 'No installed transport supports the type of the entry.'),
  VARIABLE_MISSING: code(
    'error',
    'A variable without a default is not set, an input has no value, or it is a variable of another program.',
  ),
  VARIABLE_MALFORMED: code('error', 'The text after `${` is not a variable name.'),
  VARIABLE_REFUSED: code('error', 'The source of the entry may not use this variable.'),
  SERVER_REPLACED: code('info', 'A scope with higher precedence defines a server of the same name.'),

  // trust
  TRUST_KEY_IGNORED: code('warning', 'A file of the project grants trust to itself; the grant is ignored.'),
  ENVIRONMENT_DANGEROUS: code('warning', 'The entry sets a variable that can make programs run other code.'),
  ENVIRONMENT_UNKNOWN: code('info', 'The entry sets a variable whose effect is unknown.'),
  APPROVAL_REQUIRED: code('warning', 'The user must approve this server before it is used.'),
  APPROVAL_REJECTED: code('info', 'The user decided against this server.'),
  APPROVAL_FAILED: code('error', 'The decision about the server could not be asked for, read or stored.'),
  POLICY_DENIED: code('error', 'A policy forbids this server.'),
  POLICY_INVALID: code('error', 'A policy is invalid, so no server is permitted.'),
} as const satisfies Record<string, ProblemCodeInfo>;

/** The code of a {@link ConfigProblem}. Codes are stable; {@link CONFIG_PROBLEM_CODES} lists them all. */
export type ConfigProblemCode = keyof typeof CONFIG_PROBLEM_CODES;

/** A location in a file. Lines and columns count from 1, columns in UTF-16 code units. */
export interface SourceLocation {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/**
 * Something that is wrong with a file or an entry. Problems are returned and not thrown, so that one invalid entry does not
 * prevent the other servers from loading. All texts are safe to print and contain no secrets.
 */
export interface ConfigProblem {
  /** Stable code to test for. */
  readonly code: ConfigProblemCode;
  /** Severity of this occurrence. Usually that of the code. */
  readonly severity: ProblemCodeInfo['severity'];
  /** Path of the file, or a name such as `--mcp-config #1`; undefined if the problem is not about one file. */
  readonly file?: string | undefined;
  /** Line in {@link file}, from 1. */
  readonly line?: number | undefined;
  /** Column in {@link line}, from 1, in UTF-16 code units. */
  readonly column?: number | undefined;
  /** Name of the server that it is about; undefined for a problem of the whole file. */
  readonly server?: string | undefined;
  /** Path of the field within the entry, such as `oauth.callbackPort` or `args[0]`. */
  readonly path?: string | undefined;
  /** One or more sentences that say what is wrong. */
  readonly message: string;
  /** Tells what the user can do about it. */
  readonly hint?: string | undefined;
}

/**
 * Formats a problem as one line that is safe to print: severity, place, server, what is wrong, and what to do about it.
 *
 * @example
 * ```ts
 * const { problems } = await loadConfig({ layout: layouts.claude });
 * for (const problem of problems) console.error(formatProblem(problem));
 * // error: /home/me/.claude.json:7: notes: "comand" has no effect here. Did you mean "command"?
 * ```
 */
export function formatProblem({ severity, file, line, server, message, hint }: ConfigProblem): string {
  const place = file === undefined ? [] : [line === undefined ? file : `${file}:${line}`];
  const subject = [severity, ...place, ...(server === undefined ? [] : [server])];
  const text = `${subject.join(': ')}: ${message}${hint === undefined ? '' : ` ${hint}`}`;
  return sanitizeText(text, { maxLength: 4_000 });
}

/** A problem of an entry whose location in a file is not known yet. */
export interface EntryIssue {
  readonly code: ConfigProblemCode;
  /** Field path; `''` is the entry itself. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Set if this occurrence is less serious than its code. */
  readonly severity?: ProblemCodeInfo['severity'] | undefined;
}

export interface ProblemDetails {
  readonly location?: SourceLocation | undefined;
  readonly server?: string | undefined;
  readonly path?: string | undefined;
  readonly hint?: string | undefined;
  /** Set if this occurrence is more or less serious than its code. */
  readonly severity?: ProblemCodeInfo['severity'] | undefined;
}

/** Creates a problem. Texts that may come from an untrusted file are made safe to print. */
export function problem(
  problemCode: ConfigProblemCode,
  message: string,
  details: ProblemDetails = {},
): ConfigProblem {
  const { location, server, path, hint, severity = CONFIG_PROBLEM_CODES[problemCode].severity } = details;
  return {
    code: problemCode,
    severity,
    ...(location !== undefined && { file: location.file }),
    ...(location?.line !== undefined && { line: location.line }),
    ...(location?.column !== undefined && { column: location.column }),
    ...(server !== undefined && { server: sanitizeText(server) }),
    ...(path !== undefined && { path: sanitizeText(path) }),
    message: sanitizeText(message),
    ...(hint !== undefined && { hint }),
  };
}
