import { z } from 'zod';
import { fieldPath } from '../display-text.js';
import type { JsonValue } from '../jsonc/json-value.js';
import type { EntryIssue } from '../problems.js';

const milliseconds = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
const permission = z.enum(['allow', 'ask', 'deny']);
const texts = z.array(z.string());

const identityProvider = z
  .looseObject({
    issuer: z.string().min(1),
    clientId: z.string().min(1),
    clientSecret: z.string().min(1),
    callbackPort: z.int().min(1).max(65_535),
    scopes: texts,
  })
  .partial();
const oauth = z
  .looseObject({
    enabled: z.boolean(),
    clientId: z.string().min(1),
    clientSecret: z.string().min(1),
    authorizationUrl: z.string().min(1),
    tokenUrl: z.string().min(1),
    issuer: z.string().min(1),
    grant: z.string().min(1),
    scopes: texts,
    resource: z.boolean(),
    account: z.string().min(1),
    callbackPort: z.int().min(1).max(65_535),
    redirectUri: z.string().min(1),
    allowedEndpointOrigins: texts,
    allowMissingPkceSupport: z.boolean(),
    authServerMetadataUrl: z.string().min(1),
    xaa: z.boolean(),
    identityProvider: identityProvider.describe(
      'For `xaa`: the identity provider of the organization. Ignored in files of a project.',
    ),
  })
  .partial();
const healthCheck = z
  .looseObject({
    enabled: z.boolean(),
    intervalMs: milliseconds,
    timeoutMs: milliseconds,
    maxFailures: z.int().min(1),
  })
  .partial();
const reconnect = z.looseObject({ maxAttempts: z.int().min(0), delayMs: milliseconds }).partial();

/** The fields of a server entry that do not belong to one transport. Other fields are permitted. */
export const entrySchema = z
  .looseObject({
    type: z
      .string()
      .min(1)
      .describe(
        'Type of the transport: stdio, http, sse, ws, … Default: stdio with `command`, http with `url`.',
      ),
    transportType: z.string().min(1).describe('Alias of `type`.'),
    description: z.string().describe('What the server is for.'),
    command: z
      .string()
      .min(1)
      .describe(
        'Program to run, without a shell. A name is looked up on the PATH. A relative path is resolved against the folder of this file, in a project file against the root of the project.',
      ),
    args: texts.describe('Arguments of the program.'),
    env: z.record(z.string(), z.string()).describe('Environment variables that are set for the program.'),
    cwd: z
      .string()
      .min(1)
      .describe(
        'Working directory of the program. A relative path is resolved as in `command`. Default: the home directory; for a server of a project, the root of the project.',
      ),
    url: z.string().min(1).describe('URL of a remote server.'),
    httpUrl: z.string().min(1).describe('Alias of `url`.'),
    serverUrl: z.string().min(1).describe('Alias of `url`.'),
    headers: z.record(z.string(), z.string()).describe('HTTP headers that are sent with every request.'),
    apiKey: z.string().min(1).describe('Sent as a bearer token in the Authorization header.'),
    name: z.string().min(1).describe('Name under which the host registered an in-process server.'),
    oauth: z.union([z.literal(false), oauth]).describe('How to sign in with OAuth. false: never sign in.'),
    authProviderType: z
      .string()
      .min(1)
      .describe('Another sign-in scheme: google_credentials, service_account_impersonation.'),
    targetAudience: z.string().min(1).describe('Audience of the Google ID token: a URL or a client id.'),
    targetServiceAccount: z.string().min(1).describe('Google service account to impersonate.'),
    healthCheck: healthCheck.describe(
      'Pings the server at an interval and reconnects it if it does not answer.',
    ),
    reconnect: reconnect.describe('How often and after how long a lost connection is reconnected.'),
    timeout: milliseconds.describe('Time limit of one tool call, in milliseconds.'),
    connectTimeout: milliseconds.describe('Time limit of connecting, with the handshake, in milliseconds.'),
    discoveryTimeout: milliseconds.describe(
      'Time limit of each request that reads what the server offers, in milliseconds.',
    ),
    idleMs: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .describe('Time without use after which the server is disconnected, in milliseconds. 0: never.'),
    lazy: z.boolean().describe('true: the server is connected when it is first used.'),
    delivery: z
      .enum(['none', 'reconnect', 'retry'])
      .describe('What happens to a call while the server is not connected.'),
    disabled: z.boolean().describe('true: the server is listed and not connected.'),
    trust: z
      .boolean()
      .describe('true: tools run without asking. Ignored in a project file unless the folder is trusted.'),
    allowedTools: texts.describe('Tools that run without asking the user.'),
    deniedTools: texts.describe('Tools that never run.'),
    enabledTools: texts.describe('The only tools that can run. Default: all.'),
    allowedResources: texts.describe('Resources that are read without asking the user.'),
    readPermission: permission.describe(
      'Applies to tools that only read and are not listed. "deny" applies to listed ones too.',
    ),
    writePermission: permission.describe(
      'Applies to other tools that are not listed. "deny" applies to those too that only a pattern in `allowedTools` covers.',
    ),
  })
  .partial();

/** Names of the common fields. */
export const COMMON_FIELDS: ReadonlySet<string> = new Set(Object.keys(entrySchema.shape));

/** Names of the members of the fields that are objects with members of ours. */
export const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  oauth: Object.keys(oauth.shape),
  healthCheck: Object.keys(healthCheck.shape),
  reconnect: Object.keys(reconnect.shape),
};

/** Validates the common fields of an entry. Messages name types and limits, never a value, which may be a secret. */
export function validateFields(entry: JsonValue): readonly EntryIssue[] {
  const result = entrySchema.safeParse(entry);
  if (result.success) return [];
  return result.error.issues.flatMap(membersOf).map((issue) => ({
    code: 'FIELD_INVALID',
    path: fieldPath(issue.path),
    message: `${issue.path.length === 0 ? 'The entry' : `"${fieldPath(issue.path)}"`} is invalid: ${issue.message.replace('Invalid input: ', '')}.`,
  }));
}

/** Returns the issues inside of an `oauth` that is neither `false` nor valid, so that they name the member. */
function membersOf(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  // The branch of the object is the last one.
  const inner = issue.errors.at(-1) ?? [];
  return inner.map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
}
