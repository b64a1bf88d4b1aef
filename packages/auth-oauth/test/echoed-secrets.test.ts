import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '@mcp-fittings/store-file';
import { createClientCredentialsProvider, createWorkloadProvider } from '@mcp-fittings/auth-oauth';
import { startFalseServer, type FalseServer } from './support/false-server.js';
import { scriptSignIn } from './support/scripted-sign-in.js';

/** With characters that encodings treat differently. */
const SECRET = 'canary/Secret+with:marks=7';

const ECHOES: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded throughout': (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'form-encoded': (text) => new URLSearchParams([['s', text]]).toString(),
  'in JSON': (text) => JSON.stringify({ text }),
  'in escapes': (text) =>
    Array.from(text)
      .map((sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
      .join(''),
  'in HTML': (text) =>
    Array.from(text)
      .map((sign) => `&#${String(sign.codePointAt(0))};`)
      .join(''),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64url within more': (text) => Buffer.from(`id:${text}!`).toString('base64url'),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
  'in hexadecimal with colons': (text) => (Buffer.from(text).toString('hex').match(/../g) ?? []).join(':'),
  'with invisible characters between': (text) => Array.from(text).join('\u200b'),
  'with spaces between': (text) => Array.from(text).join(' '),
  'in capitals': (text) => text.toUpperCase(),
  reversed: (text) => Array.from(text).toReversed().join(''),
};

let server: FalseServer;
beforeEach(async () => {
  server = await startFalseServer();
});
afterEach(() => server[Symbol.asyncDispose]());

const challenge = () => ({ url: new URL(server.url), status: 401 }) as const;
/** The refusal of a client with the secret. */
const refusalOfMachine = (): Promise<unknown> =>
  createClientCredentialsProvider({
    url: server.url,
    store: memoryStore(),
    clientId: 'machine',
    clientSecret: SECRET,
  })
    .onChallenge(challenge())
    .catch((reason: unknown) => reason);

/** Everything that is visible of an error, for secrets in any spelling. */
function expectHidden(error: unknown, secret: string, echo: (text: string) => string): void {
  expect(error).toMatchObject({ code: 'AUTH_FAILED' });
  const shown = inspect(error, { depth: 9 }) + JSON.stringify(error) + String(error);
  for (const spelling of [secret, echo(secret), secret.slice(0, 16), echo(secret).slice(0, 24)]) {
    expect(shown.replaceAll('\u200b', '')).not.toContain(spelling.replaceAll('\u200b', ''));
  }
}

describe.each(Object.entries(ECHOES))('a secret that is echoed %s', (_, echo) => {
  const refuseWith = (
    text: (body: URLSearchParams, authorization: string) => string,
    member = 'error_description',
  ): void => {
    server.answers.set('/token', () => {
      const { body = '', authorization = '' } = server.asked.at(-1) ?? {};
      const said = text(new URLSearchParams(body), authorization);
      return {
        status: 400,
        body: { error: 'invalid_client', [member]: `wrong: ${said} was that` },
      };
    });
  };

  it('the error does not contain a client secret', async () => {
    refuseWith(() => echo(SECRET));
    expectHidden(await refusalOfMachine(), SECRET, echo);
    refuseWith((_body, authorization) => echo(authorization.split(' ')[1] ?? ''));
    const basic = Buffer.from(`machine:${new URLSearchParams([['', SECRET]]).toString().slice(1)}`).toString(
      'base64',
    );
    expectHidden(await refusalOfMachine(), basic, echo);
  });

  it('the error does not contain a code, its verifier, a refresh token or the JWT of a workload', async () => {
    const person = scriptSignIn(server);
    person.answer = (state) => `code=canary-code-4711&state=${state}`;
    refuseWith((body) => echo(body.get('code') ?? ''));
    expectHidden(await person.signIn(), 'canary-code-4711', echo);
    refuseWith((body) => echo(body.get('code_verifier') ?? ''));
    const error = await person.signIn();
    const verifier = new URLSearchParams(server.asked.at(-1)?.body).get('code_verifier') ?? '';
    expect(verifier).toHaveLength(43);
    expectHidden(error, verifier, echo);

    const jwt = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl';
    const workload = createWorkloadProvider({ url: server.url, store: memoryStore(), assertion: () => jwt });
    refuseWith((body) => echo(body.get('assertion') ?? ''));
    expectHidden(await workload.onChallenge(challenge()).catch((reason: unknown) => reason), jwt, echo);
  });
});

it('does not show a secret in place of the error code, or one at the cut', async () => {
  const failure = async (body: object): Promise<string> => {
    server.answers.set('/token', { status: 400, body });
    const error = await refusalOfMachine();
    return inspect(error, { depth: 9 }) + JSON.stringify(error);
  };
  expect(await failure({ error: SECRET })).not.toContain('canary');
  for (const before of [150, 185, 195, 3_985, 3_995]) {
    expect(await failure({ error: 'x', error_description: `${'y'.repeat(before)}${SECRET}` })).not.toContain(
      'canary',
    );
  }
  // An ordinary sentence stays as it is.
  expect(
    await failure({ error: 'invalid_client', error_description: 'Client authentication failed.' }),
  ).toContain('invalid_client (Client authentication failed.)');
});

it('an answer of the sign-in page does not repeat its state', async () => {
  const person = scriptSignIn(server);
  let sent = '';
  person.answer = (state) => {
    sent = state;
    return `error=access_denied&state=${state}&error_description=${encodeURIComponent(`state ${state}`)}`;
  };
  const error = await person.signIn();
  expect(error).toMatchObject({ code: 'AUTH_FAILED' });
  expect(inspect(error, { depth: 9 })).not.toContain(sent);
});
