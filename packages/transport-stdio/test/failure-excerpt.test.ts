import { createRedactor } from '@mcp-fittings/toolbox/text';
import { describe, expect, it } from 'vitest';
import { failureExcerpt } from '../src/process/failure-excerpt.js';
import { createStderrTail } from '../src/process/stderr-tail.js';
import { startToy } from './support/toy-client.js';

const LIMITS = { lines: 10, length: 1000 };
const usage = Array.from({ length: 40 }, (_, index) => `  --option-${index}   what it does`);

describe('why a server could not be started', () => {
  it.each<[string, string[], string]>([
    [
      'before the frames of a stack trace',
      [
        'node:internal/modules/run_main:123',
        'Error: STRIPE_SECRET_KEY is not set',
        ...Array.from({ length: 30 }, (_, index) => `    at step${index} (file:///app/index.js:${index}:7)`),
        '',
        'Node.js v20.20.2',
      ],
      'Error: STRIPE_SECRET_KEY is not set',
    ],
    [
      'before its usage text',
      ['error: --token is required', 'Usage: server [options]', ...usage],
      'error: --token is required',
    ],
    [
      'behind its usage text',
      ['Usage: server [options]', ...usage, 'Missing access token.'],
      'Missing access token.',
    ],
    [
      'in the middle of it',
      [...usage, 'FATAL could not open the database', ...usage],
      'FATAL could not open the database',
    ],
    [
      'in a traceback of Python',
      [
        'Traceback (most recent call last):',
        '  File "/app/x.py", line 3, in <module>',
        "KeyError: 'API_KEY'",
      ],
      "KeyError: 'API_KEY'",
    ],
  ])('keeps the line that says it, %s', (_, lines, reason) => {
    const excerpt = failureExcerpt(lines.join('\n'), LIMITS).split('\n');
    expect(excerpt).toContain(reason);
    expect(excerpt.join('\n')).not.toMatch(/^\s*at /m);
    expect(excerpt.filter((line) => line !== '…').length).toBeLessThanOrEqual(LIMITS.lines);
    expect(excerpt.join('\n').length).toBeLessThanOrEqual(LIMITS.length + 3 * LIMITS.lines);
  });

  it('keeps head and tail, in their order, with a mark where lines are left out', () => {
    const lines = ['first', ...Array.from({ length: 100 }, (_, index) => `line ${index}`), 'last'];
    const excerpt = failureExcerpt(lines.join('\r\n'), LIMITS).split('\n');
    expect(excerpt[0]).toBe('first');
    expect(excerpt.at(-1)).toBe('last');
    expect(excerpt.filter((line) => line === '…')).toHaveLength(1);
  });

  it('has the beginning also of more than is kept, and no secret that was cut', () => {
    const tail = createStderrTail({ redact: createRedactor(['canary-123456789']) });
    tail.append(Buffer.from('Error: no license\n'));
    for (let index = 0; index < 300; index++) tail.append(Buffer.from(`${'x'.repeat(999)}\n`));
    tail.append(Buffer.from('canary-123456789\n'));
    const excerpt = tail.excerpt(LIMITS);
    expect(excerpt).toContain('Error: no license\n');
    expect(excerpt).not.toContain('canary');
  });

  it('shows it in the error of a real server', async () => {
    await using client = await startToy({
      args: [
        '-e',
        `console.error(${JSON.stringify(usage.join('\n'))}); throw new Error('DATABASE_URL is not set')`,
      ],
    });
    await expect(client.ask('ping')).rejects.toMatchObject({
      message: expect.stringMatching(/\nError: DATABASE_URL is not set(?:\n|$)/),
    });
  });
});
