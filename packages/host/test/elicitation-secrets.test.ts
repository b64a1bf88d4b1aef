import { describe, expect, it } from 'vitest';
import { inspectElicitation } from '../src/server-requests/inspect-elicitation.js';

const warningsIn = (schema: Record<string, unknown>, message = ''): readonly string[] =>
  inspectElicitation({ mode: 'form', message, schema, warnings: [] }).warnings;
const warningsOf = (property: object, message = 'Please fill in', name = 'value'): readonly string[] =>
  warningsIn({ type: 'object', properties: { [name]: property } }, message);

const words = [
  ['English', 'Enter your password'],
  ['capitals in between', 'PaSsWoRd'],
  ['full width', 'ｐａｓｓｗｏｒｄ'],
  ['mathematical letters', '𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝'],
  ['circled letters', 'ⓟⓐⓢⓢⓦⓞⓡⓓ'],
  ['Cyrillic look-alikes', 'раѕѕwоrd'],
  ['Greek look-alikes', 'pαsswοrd'],
  ['accents', 'pàsswörd'],
  ['zero width characters', 'pass\u200bwo\u2060rd'],
  ['soft hyphens and tags', 'pass\u00adwo\u{e0041}rd'],
  ['digits for letters', 'p4ssw0rd'],
  ['signs for letters', 'p@$$word'],
  ['letters apart', 'p a s s w o r d'],
  ['letters apart by points', 'P.A.S.S.W.O.R.D'],
  ['snake case', 'user_api_key'],
  ['camel case', 'accountPin'],
  ['a one-time code', 'The 6 digits of your 2FA app'],
  ['a seed phrase', 'Your recovery phrase, 12 words'],
  ['a card', 'Credit card number'],
  ['German', 'Ihr Kennwort'],
  ['French', 'Votre mot de passe'],
  ['Spanish', 'Contraseña'],
  ['Portuguese', 'Sua senha'],
  ['Italian', "Parola d'ordine"],
  ['Russian', 'Введите пароль'],
  ['Ukrainian', 'Ваш ПАРОЛЬ'],
  ['Arabic', 'كلمة المرور'],
  ['Hindi', 'पासवर्ड'],
  ['Indonesian', 'Kata sandi'],
  ['Chinese', '请输入密码'],
  ['traditional Chinese', '驗證碼'],
  ['Japanese', 'パスワード'],
  ['Japanese, half width', 'ﾊﾟｽﾜｰﾄﾞ'],
  ['Korean', '비밀번호'],
] as const;

describe('a form that asks for a secret', () => {
  it.each(words)('is noticed in %s, wherever it says so', (_, text) => {
    const places: readonly (readonly [object, (string | undefined)?, (string | undefined)?])[] = [
      [{ type: 'string', title: text }],
      [{ type: 'string', description: text }],
      [{ type: 'string', enum: [text, 'other'] }],
      [{ type: 'string', enum: ['a'], enumNames: [text] }],
      [{ type: 'string', oneOf: [{ const: 'a', title: text }] }],
      [{ type: 'array', items: { anyOf: [{ const: text }] } }],
      [{ type: 'string', default: text }],
      [{ type: 'string' }, text],
      [{ type: 'string' }, undefined, text],
    ];
    for (const place of places) expect(warningsOf(...place).join()).toContain('secret');
  });

  it('is recognized by its format, and by the title and description of the form', () => {
    expect(warningsOf({ type: 'string', format: 'password' })).toHaveLength(1);
    const schema = {
      title: 'Login',
      description: 'Type your passphrase',
      properties: { a: { type: 'string' } },
    };
    expect(warningsIn(schema)).toHaveLength(1);
  });

  it('is noticed six levels below a field, and not deeper', () => {
    const nested = (levels: number): object =>
      levels === 0 ? { title: 'Enter your password' } : { items: nested(levels - 1) };
    expect(warningsOf(nested(6))).toHaveLength(1);
    expect(warningsOf(nested(7))).toEqual([]);
  });

  it.each([
    'Your name',
    'Choose a color: red, green or blue',
    'Wie alt sind Sie?',
    'Ville de départ et date du voyage',
    'Compass, passenger, spinning, opinion, shopping',
    'ваше имя и город',
    '请选择日期',
    '名前を入力してください',
    'E-mail address, street, postal code',
  ])('does not warn about a form without one: %s', (text) => {
    expect(warningsOf({ type: 'string', title: text, description: text, enum: [text] }, text, text)).toEqual(
      [],
    );
  });

  it('shows the names of fields without what hides them, and names the first twenty', () => {
    const [warning] = warningsOf({ type: 'string' }, '', 'pass\u202eword\u009d');
    expect(warning).toMatch(/^"password" looks like a secret/);
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`pin ${index}`, {}]));
    const warnings = warningsIn({ properties });
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toContain('480 more');
  });

  it('is searched up to a bound, and reports what was not searched', () => {
    const long = { type: 'string', description: 'a '.repeat(5_000_000) };
    expect(warningsOf(long, 'password')).toEqual([expect.stringContaining('too long')]);
    const many = Object.fromEntries(
      Array.from({ length: 200_000 }, (_, index) => [`f${index}`, { title: 'x' }]),
    );
    const warnings = warningsIn({ properties: many });
    expect(warnings).toEqual([expect.stringContaining('too long')]);
  });
});

describe('a form of a hostile server', () => {
  // Marks of two classes in turn are what normalize() sorts, one by one.
  it.each([
    'auth',
    'a\u0334',
    '\u0334',
    '\u0300\u0316',
    '\u0300\u200b\u0316\u200b',
    '\uff9e\u0334',
    'ё\u0483',
    'aB',
    'a ',
    'a. ',
    'a@',
    ' ',
    'pass ',
  ])('is searched in linear time, also one of 200 000 characters: %j', (piece) => {
    const text = `a${piece.repeat(199_000 / piece.length)}`;
    // Quadratic time is minutes.
    expect(warningsOf({ type: 'string', title: text })).toHaveLength(0);
    expect(warningsOf({ type: 'string', title: `${text} password` })).toHaveLength(1);
  });

  it('asks for a secret under any number of accents', () => {
    expect(warningsOf({ type: 'string', title: `p${'\u0300\u0316'.repeat(50)}assword` })).toHaveLength(1);
  });
});

describe('a form that is too large to be searched', () => {
  const EXHAUSTED = 'the form is too long to be searched for requests for secrets';

  /** A list of a million elements that counts how many of them are read, and how often all of them are listed. */
  const counted = (element: unknown) => {
    const looks = { elements: 0, lists: 0 };
    const list = new Proxy(
      Array.from({ length: 1_000_000 }, () => element),
      {
        get(target, key, receiver) {
          if (typeof key === 'string' && /^\d+$/.test(key)) looks.elements++;
          return Reflect.get(target, key, receiver) as unknown;
        },
        ownKeys(target) {
          looks.lists++;
          return Reflect.ownKeys(target);
        },
      },
    );
    return { list, looks };
  };

  it.each([
    ['texts', 'a choice'],
    ['empty texts', ''],
    ['numbers', 7],
    ['null', null],
    ['objects', { const: 'a', title: 'A' }],
    ['empty objects', {}],
    ['empty lists', []],
  ])('is read no further than can be searched: choices that are %s', (_, element) => {
    const { list, looks } = counted(element);
    expect(warningsOf({ type: 'string', enum: list })).toContain(EXHAUSTED);
    expect(looks.elements).toBeLessThan(20_000);
    expect(looks.lists).toBe(0);
  });

  it('still warns of what comes before', () => {
    const { list } = counted('a choice');
    const [first, last] = warningsOf({ title: 'Your password', enum: list });
    expect(first).toContain('looks like a secret');
    expect(last ?? EXHAUSTED).toBe(EXHAUSTED);
  });

  it('is not searched in fields after that', () => {
    const { list } = counted('a choice');
    const { looks, list: second } = counted('a choice');
    const properties = { first: { enum: list }, second: { enum: second } };
    const warnings = warningsIn({ properties }, 'Choose');
    expect(warnings).toEqual([EXHAUSTED]);
    expect(looks.elements).toBe(0);
  });
});
