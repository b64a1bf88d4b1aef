import { createRedactor } from '@mcp-fittings/toolbox/text';
import { expect, it } from 'vitest';

const SECRET = 'pass "word"\n/+=ü-canary';

it('removes a secret as it is, percent-encoded, in JSON and in base64', () => {
  const redact = createRedactor([SECRET]);
  const forms = [
    SECRET,
    new URLSearchParams({ key: SECRET }).toString(),
    JSON.stringify({ key: SECRET }),
    Buffer.from(SECRET).toString('base64'),
  ];
  for (const form of forms) {
    const text = redact(`before ${form} after`);
    expect(text).toMatch(/^before .*\[redacted\].* after$/s);
    expect(text).not.toMatch(/canary|word/);
  }
});

it('leaves of a secret in longer base64 only the characters that share bits with their neighbors', () => {
  const redact = createRedactor(['0123456789ab']);
  const encoded = ['', 'x', 'xx'].map((before) =>
    redact(Buffer.from(`${before}0123456789ab`).toString('base64')),
  );
  expect(encoded).toEqual(['[redacted]', 'eD[redacted]g==', 'eHg[redacted]I=']);
});

it('removes the part of a secret that stands where a text was cut', () => {
  const redact = createRedactor(['0123456789abcdef']);
  expect(redact('456789abcdef said the server', 'start')).toBe('[redacted] said the server');
  expect(redact('the server said 0123456789ab', 'end')).toBe('the server said [redacted]');
  expect(redact('456789abcdef, 0123456789ab')).toBe('456789abcdef, 0123456789ab');
});

it('leaves short values and chance likeness alone', () => {
  const redact = createRedactor(['true', 'abcdefgh']);
  expect(redact('true it is', 'start')).toBe('true it is');
  expect(redact('fgh it is', 'start')).toBe('fgh it is');
});

it('takes a secret of any length', () => {
  const secret = 'x1y2'.repeat(100_000);
  expect(createRedactor([secret])(`a ${secret} b`)).toBe('a [redacted] b');
});

it('removes a secret in capitals or small letters, also where the text was cut', () => {
  const redact = createRedactor(['Sk-Live-0123abcd', 'straße-ΟΔΟΣ-7']);
  for (const echo of ['SK-LIVE-0123ABCD', 'sk-live-0123abcd', 'STRASSE-ΟΔΟΣ-7', 'straße-οδος-7']) {
    expect(redact(`no ${echo}, no ${echo}.`)).toBe('no [redacted], no [redacted].');
  }
  expect(redact(`no ${encodeURIComponent('Sk-Live-0123abcd').toUpperCase()}`)).toBe('no [redacted]');
  expect(redact('the server said SK-LIVE-01', 'end')).toBe('the server said [redacted]');
  expect(redact('LIVE-0123ABCD said the server', 'start')).toBe('[redacted] said the server');
  expect(createRedactor(['a.c*d(e'])('abcd(e A.C*D(E')).toBe('abcd(e [redacted]');
});
