import { describe, expect, it } from 'vitest';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { answerProblems, withDefaults } from '../src/server-requests/form-answer.js';
import { guardCallbacks } from '../src/server-requests/guard-callbacks.js';
import { inspectElicitation } from '../src/server-requests/inspect-elicitation.js';
import type { ElicitationRequest, HostCallbacks } from '@mcp-fittings/host';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, default: 'Ann' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    mail: { type: 'string', format: 'email' },
    born: { type: 'string', format: 'date' },
    color: { type: 'string', enum: ['red', 'green'] },
    size: {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'l', title: 'Large' },
      ],
    },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 2 },
    agree: { type: 'boolean', default: true },
  },
  required: ['name', 'age'],
};
const form: ElicitationRequest = { mode: 'form', message: 'Who are you?', schema, warnings: [] };

function guarded(callbacks: HostCallbacks, clock = createManualClock()) {
  const context = { server: 'asking', signal: new AbortController().signal };
  return { ...guardCallbacks(callbacks, { clock, callbackMs: 1000 }), context, clock };
}

describe('forms', () => {
  it('fills in the defaults of the schema and keeps the answers', () => {
    expect(withDefaults(schema, { age: 3, agree: false })).toEqual({ name: 'Ann', age: 3, agree: false });
  });

  it.each([
    [{ name: 'Bo', age: 3 }, []],
    [{}, ['"name" is missing', '"age" is missing']],
    [{ name: 'B', age: 3 }, ['"name" must have at least 2 characters']],
    [{ name: 'Bo', age: 1.5 }, ['"age" must be an integer']],
    [{ name: 'Bo', age: 151 }, ['"age" must be at most 150']],
    [{ name: 'Bo', age: 'x' }, ['"age" must be a number']],
    [{ name: 'Bo', age: 1, mail: 'a@b' }, []],
    [{ name: 'Bo', age: 1, mail: 'no-at-sign' }, ['"mail" must be an email address']],
    [{ name: 'Bo', age: 1, born: '2026-02-03' }, []],
    [{ name: 'Bo', age: 1, born: 'yesterday' }, ['"born" must be a date like 2026-07-28']],
    [{ name: 'Bo', age: 1, color: 'blue' }, ['"color" is not one of the choices']],
    [{ name: 'Bo', age: 1, size: 'l' }, []],
    [{ name: 'Bo', age: 1, size: 'Large' }, ['"size" is not one of the choices']],
    [{ name: 'Bo', age: 1, tags: ['a', 'c'] }, ['"tags" has an element that is not one of the choices']],
    [{ name: 'Bo', age: 1, tags: ['a', 'b', 'a'] }, ['"tags" must have at most 2 elements']],
    [{ name: 'Bo', age: 1, agree: 'yes' }, ['"agree" must be true or false']],
  ])('checks %j', (content, problems) => {
    expect(answerProblems(schema, content)).toEqual(problems);
  });

  it('sends an answer completed with defaults', async () => {
    const { elicit, context } = guarded({ elicit: async () => ({ action: 'accept', content: { age: 7 } }) });
    expect(await elicit?.(form, context)).toEqual({
      action: 'accept',
      content: { name: 'Ann', age: 7, agree: true },
    });
  });

  it('never sends an answer that does not fit the schema', async () => {
    const { elicit, context } = guarded({ elicit: async () => ({ action: 'accept', content: { age: -1 } }) });
    await expect(elicit?.(form, context)).rejects.toMatchObject({
      code: 'CALLBACK_FAILED',
      message: expect.stringContaining('"age" must be at least 0'),
    });
  });
});

describe('what servers may ask for', () => {
  it('refuses addresses that are not web pages', () => {
    for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'not a url', 'data:text/html,x']) {
      expect(() => inspectElicitation({ mode: 'url', message: '', url, warnings: [] })).toThrowError(
        /http or https/,
      );
    }
  });

  it.each([
    ['https://example.com/consent', []],
    ['http://example.com/', ['the connection is not encrypted']],
    ['https://xn--pple-43d.com/', ['the host name has characters that may imitate another name']],
    ['https://user@example.com/', ['the address contains a user name']],
    ['https://192.168.1.1/', ['the address is on this machine or in a private network']],
    ['https://localhost:8080/', ['the address is on this machine or in a private network']],
    ['https://[::1]/', ['the address is on this machine or in a private network']],
    ['https://169.254.169.254/', ['the address is on this machine or in a private network']],
    ['https://172.32.0.1/', []],
    ...[
      '100.64.0.1',
      '100.127.255.254',
      '100.100.100.200',
      '198.18.0.1',
      '192.0.0.192',
      'metadata.google.internal',
      'METADATA.google.internal.',
      'router.lan',
      'printer.local',
      'nas.home.arpa',
      'fritz.box',
      'wiki.corp',
      'router',
      '0x7f.1',
      '2130706433',
      '[fd00::1]',
      '[fe80::1]',
      '[fec0::1]',
      '[::ffff:10.0.0.1]',
      '[64:ff9b::a00:1]',
    ].map((name): [string, string[]] => [
      `https://${name}/`,
      ['the address is on this machine or in a private network'],
    ]),
    ...[
      '100.63.255.255',
      '100.128.0.1',
      '198.20.0.1',
      'lan.example.com',
      'internal.example',
      'box.com',
      '[2001:db8::1]',
    ].map((name): [string, string[]] => [`https://${name}/`, []]),
  ])('warns about %s', (url, warnings) => {
    expect(inspectElicitation({ mode: 'url', message: '', url, warnings: [] })).toMatchObject({
      url,
      warnings,
    });
  });
});

describe('callbacks of the host', () => {
  it('that throw fail one request, and the error is its cause', async () => {
    const cause = new Error('boom');
    const { sample, context } = guarded({
      sample: () => {
        throw cause;
      },
    });
    await expect(sample?.({}, context)).rejects.toMatchObject({ code: 'CALLBACK_FAILED', cause });
  });

  it('that never resolve are given up, and their signal is aborted', async () => {
    let told: AbortSignal | undefined;
    const { roots, context, clock } = guarded({
      roots: ({ signal }) => {
        told = signal;
        return new Promise(() => undefined);
      },
    });
    const given = expect(roots?.(context)).rejects.toMatchObject({
      code: 'CALLBACK_FAILED',
      server: 'asking',
    });
    await clock.advance(1000);
    await given;
    expect(told?.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('are declared only if they exist', () => {
    expect(Object.keys(guardCallbacks({}, { clock: createManualClock(), callbackMs: 1 }))).toEqual([]);
  });

  it('must return roots with file URIs', async () => {
    const { roots, context } = guarded({ roots: async () => [{ uri: 'https://example.com' }] });
    await expect(roots?.(context)).rejects.toMatchObject({ code: 'CALLBACK_FAILED' });
  });
});
