import { z } from 'zod';
import type { JsonValue } from '../jsonc/json-value.js';
import { fieldPath } from '../display-text.js';
import type { EntryIssue } from '../problems.js';

const milliseconds = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
const permission = z.enum(['allow', 'ask', 'deny']);
const texts = z.array(z.string());

/** The fields of a server entry that are not one transport's own; those of plugins may stand beside them. */
export const entrySchema = z
  .looseObject({
    type: z
      .string()
      .min(1)
      .describe(
        'Kind of transport: stdio, http, sse, ws, … Without it, `command` means stdio and `url` means http.',
      ),
    transportType: z.string().min(1).describe('Another spelling of `type`.'),
    description: z.string().describe('What the server is for.'),
    command: z
      .string()
      .min(1)
      .describe(
        'Program to run, never through a shell. A name is found on the PATH; a relative path begins in the folder of this file, in a project file in the root of the project.',
      ),
    args: texts.describe('Arguments of the program, passed on as they are.'),
    env: z
      .record(z.string(), z.string())
      .describe('Environment variables that the program gets besides its own.'),
    cwd: z
      .string()
      .min(1)
      .describe(
        'Working directory of the program; a relative path begins where that of `command` does. Default: the home directory, for a project server the root of the project.',
      ),
    url: z.string().min(1).describe('Address of a remote server.'),
    httpUrl: z.string().min(1).describe('Another spelling of `url`.'),
    serverUrl: z.string().min(1).describe('Another spelling of `url`.'),
    headers: z.record(z.string(), z.string()).describe('HTTP headers sent with every request.'),
    apiKey: z.string().min(1).describe('Sent as a Bearer token.'),
    name: z.string().min(1).describe('Name under which the host registered an in-process server.'),
    oauth: z
      .union([
        z.literal(false),
        z
          .looseObject({
            enabled: z.boolean(),
            clientId: z.string().min(1),
            clientSecret: z.string().min(1),
            authorizationUrl: z.string().min(1),
            tokenUrl: z.string().min(1),
            scopes: texts,
            callbackPort: z.int().min(1).max(65_535),
            redirectUri: z.string().min(1),
            allowedEndpointOrigins: texts,
            authServerMetadataUrl: z.string().min(1),
            xaa: z.boolean(),
            identityProvider: z
              .looseObject({
                issuer: z.string().min(1),
                clientId: z.string().min(1),
                clientSecret: z.string().min(1),
                callbackPort: z.int().min(1).max(65_535),
                scopes: texts,
              })
              .partial()
              .describe(
                'For `xaa`: where people sign in. It counts in files of the user and the company only.',
              ),
          })
          .partial(),
      ])
      .describe('How to sign in; false: never.'),
    authProviderType: z
      .string()
      .min(1)
      .describe('Another way to sign in: google_credentials, service_account_impersonation.'),
    targetAudience: z.string().min(1).describe('Who an ID token of Google is for: a URL or a client id.'),
    targetServiceAccount: z.string().min(1).describe('Service account of Google to act as.'),
    healthCheck: z
      .looseObject({
        enabled: z.boolean(),
        intervalMs: milliseconds,
        timeoutMs: milliseconds,
        maxFailures: z.int().min(1),
      })
      .partial()
      .describe('Asks the server now and then whether it is alive.'),
    reconnect: z
      .looseObject({ maxAttempts: z.int().min(0), delayMs: milliseconds })
      .partial()
      .describe('What happens after the connection was lost.'),
    timeout: milliseconds.describe('Milliseconds that one tool call may take.'),
    disabled: z.boolean().describe('True: known, but never connected.'),
    trust: z
      .boolean()
      .describe('True: tools run without asking. Ignored in a project file of a folder that is not trusted.'),
    allowedTools: texts.describe('Tools that run without asking.'),
    deniedTools: texts.describe('Tools that never run.'),
    allowedResources: texts.describe('Resources that are read without asking.'),
    readPermission: permission.describe('For tools that only read.'),
    writePermission: permission.describe('For tools that change something.'),
  })
  .partial();

/** What the common fields of an entry get wrong. Messages name types and limits, never the value. */
export function validateFields(entry: JsonValue): readonly EntryIssue[] {
  const result = entrySchema.safeParse(entry);
  if (result.success) return [];
  return result.error.issues.map((issue) => ({
    code: 'FIELD_INVALID',
    path: fieldPath(issue.path),
    message: `${issue.path.length === 0 ? 'The entry' : `"${fieldPath(issue.path)}"`} is not right: ${issue.message}.`,
  }));
}
