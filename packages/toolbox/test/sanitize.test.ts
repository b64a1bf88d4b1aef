import { describe, expect, it } from 'vitest';
import { sanitizeText } from '@mcp-fittings/toolbox/text';

describe('escape sequences are removed as a whole', () => {
  it.each([
    ['a title, ended by BEL', '\u001b]0;title\u0007rest'],
    ['a title, ended by ST', '\u001b]2;title\u001b\\rest'],
    ['a title, introduced by one C1 character', '\u009d0;title\u009crest'],
    ['a link', '\u001b]8;;http://evil.example\u0007rest'],
    ['the clipboard', '\u001b]52;c;ZXZpbA==\u0007rest'],
    ['a device control string', '\u001bP1$r\u001b\\rest'],
    ['an application command', '\u001b_hidden\u001b\\rest'],
    ['colors', '\u001b[1;31mrest\u001b[0m'],
    ['cursor movement by one C1 character', '\u009b2Jrest'],
  ])('%s', (_, text) => expect(sanitizeText(text)).toBe('rest'));
});
