import { sanitizeText } from '@mcp-fittings/client-core/text';

/** How bad it is: `error` means that a file or a server is not used, `warning` that a person should look. */
export type Severity = 'error' | 'warning' | 'info';

interface CodeFacts {
  readonly severity: Severity;
  /** What it means, for the reference that is generated from this table. */
  readonly meaning: string;
}

const code = (severity: Severity, meaning: string): CodeFacts => ({ severity, meaning });

const CODES = {
  // files
  FILE_MISSING: code('error', 'A file that was named on the command line does not exist.'),
  FILE_UNREADABLE: code('error', 'The file exists and could not be read.'),
  FILE_NOT_REGULAR: code('error', 'The path is a directory, a pipe, a device or a socket.'),
  FILE_SYMLINK: code('error', 'A link leads out of the project.'),
  FILE_TOO_LARGE: code('error', 'The file exceeds the size limit.'),
  FILE_OWNER: code('error', 'The file belongs to another user, or others may change it.'),
  HOME_REFUSED: code(
    'warning',
    'A variable names a home directory that lies in the project; it is not used.',
  ),
  ENCODING_INVALID: code('error', 'The file is not UTF-8 without a byte order mark.'),

  // JSON
  JSON_SYNTAX: code('error', 'The text is not JSON, also when comments and trailing commas are allowed.'),
  JSON_TOO_DEEP: code('error', 'Values are nested deeper than the limit.'),
  JSON_DUPLICATE_KEY: code('error', 'A key stands twice in one object, so that readers could differ.'),
  JSON_KEY_REFUSED: code('error', 'A key is one that JavaScript gives a meaning to.'),
  JSON_VALUE_REFUSED: code('error', 'A text holds half a character, or a number is not finite.'),
  SHAPE_INVALID: code('error', 'There is something else where an object is expected.'),
  SERVERS_MISSING: code('info', 'The file was read and names no servers where they are looked for.'),
  TOO_MANY_SERVERS: code('error', 'The file names more servers than the limit.'),

  // entries
  NAME_INVALID: code('error', 'The name of the server breaks the rule for names.'),
  NAME_CONFUSABLE: code('warning', 'Two servers have names that a person can mistake for one another.'),
  FIELD_INVALID: code('error', 'A field of the entry is missing or malformed.'),
  TYPE_MISSING: code('error', 'The entry says neither `type` nor `command` nor `url`.'),
  TYPE_CONFLICT: code('error', 'Two fields of the entry say different things about the transport.'),
  TYPE_UNKNOWN: code('warning', 'No installed transport plugin serves the type of the entry.'),
  VARIABLE_MISSING: code('error', 'A variable without default is not set.'),
  VARIABLE_MALFORMED: code('error', 'What stands after `${` is not a variable.'),
  VARIABLE_REFUSED: code('error', 'A variable stands where this source may not use one.'),
  SERVER_REPLACED: code('info', 'A source of higher rank defines a server of the same name.'),

  // trust
  TRUST_KEY_IGNORED: code('warning', 'A project file tried to grant trust to itself.'),
  ENVIRONMENT_DANGEROUS: code('warning', 'The entry sets a variable that makes programs run other code.'),
  ENVIRONMENT_UNKNOWN: code('info', 'The entry sets a variable whose effect is not known here.'),
  APPROVAL_REQUIRED: code('warning', 'A person has to approve this server before it is used.'),
  APPROVAL_REJECTED: code('info', 'A person decided against this server.'),
  APPROVAL_FAILED: code('error', 'The decision could not be asked for, read or remembered.'),
  POLICY_DENIED: code('error', 'A policy forbids this server.'),
  POLICY_INVALID: code('error', 'A policy exists and could not be understood, so nothing is permitted.'),
} as const satisfies Record<string, CodeFacts>;

/** The closed set of problem codes. */
export type ProblemCode = keyof typeof CODES;

/** Severity and meaning of each problem code. */
export const PROBLEM_CODES: { readonly [Code in ProblemCode]: CodeFacts } = CODES;

/** Where something stands in a file. Lines and columns count from 1, columns in UTF-16 units. */
export interface Place {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** What is wrong with a configuration, as data: nothing is thrown for one bad file or entry. No secret is in it. */
export interface Problem {
  readonly code: ProblemCode;
  readonly severity: Severity;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** Name of the server, made fit to show. */
  readonly server?: string | undefined;
  /** Field within the entry: `oauth.callbackPort`, `args[0]`. */
  readonly path?: string | undefined;
  readonly message: string;
  /** What the reader can do about it. */
  readonly hint?: string | undefined;
}

export interface ProblemDetails {
  readonly place?: Place | undefined;
  readonly server?: string | undefined;
  readonly path?: string | undefined;
  readonly hint?: string | undefined;
  /** Where this occurrence is better or worse than its code says. */
  readonly severity?: Severity | undefined;
}

/** Makes a problem. Texts that a stranger may have had a hand in are made fit to show. */
export function problem(problemCode: ProblemCode, message: string, details: ProblemDetails = {}): Problem {
  const { place, server, path, hint, severity = CODES[problemCode].severity } = details;
  return {
    code: problemCode,
    severity,
    ...(place !== undefined && { file: place.file }),
    ...(place?.line !== undefined && { line: place.line }),
    ...(place?.column !== undefined && { column: place.column }),
    ...(server !== undefined && { server: sanitizeText(server) }),
    ...(path !== undefined && { path: sanitizeText(path) }),
    message: sanitizeText(message),
    ...(hint !== undefined && { hint }),
  };
}
