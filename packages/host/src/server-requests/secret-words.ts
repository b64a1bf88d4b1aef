import { decompose } from '@mcp-fittings/toolbox/text';

/**
 * Words with which a text asks for a secret, in the most spoken languages, as {@link foldings} writes them: in lower case and
 * without accents. They match anywhere in a text.
 */
const ANYWHERE = [
  // English, and identifiers in programs
  'pass ?(?:word|phrase|code|key|wd)|secret|token|credential|bearer|mnemonic|social ?security',
  '(?:api|access|private|signing|encryption|recovery) ?keys?|(?:seed|recovery|backup) ?(?:phrase|words?)',
  '(?:security|verification|one time|login|auth\\w{0,20}|access|backup|recovery|sms) ?codes?',
  '(?:credit|debit|bank) ?card|card ?number',
  // German, French, Spanish, Portuguese, Italian, Indonesian
  'passwort|kennwort|mots? de passe|code secret|contrasen|senha|palavra.?passe|parola (?:d.ordine|chiave)|kata ?sandi',
  // Russian, Arabic, Hindi
  'парол|код доступа|كلمة (?:ال)?(?:مرور|سر)|पासवर्ड',
  // Chinese, Japanese, Korean
  '密码|密碼|口令|密钥|密鑰|验证码|驗證碼|パスワード|暗証|認証コード|비밀 ?번호|암호',
];
/** Short ones, which match as whole words only. */
const WHOLE_WORDS = 'pins?|pwd|pw|t?otp|2fa|mfa|cv[vc]2?|ssn|iban|clave|mdp';

const SECRET = new RegExp(
  `${ANYWHERE.join('|')}|(?<![\\p{L}\\p{N}])(?:${WHOLE_WORDS})(?![\\p{L}\\p{N}])`,
  'u',
);

/** Returns whether a text asks for a secret, in one of the listed languages, also in look-alike letters. */
export function namesSecret(text: string): boolean {
  // Once as it is, and once with the words of camelCase separated.
  return [text, text.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')].some((spelling) =>
    foldings(spelling).some((folded) => SECRET.test(folded)),
  );
}

/** Returns the text as a reader perceives it: in one alphabet, without accents, invisible characters or spaced-out words. */
function foldings(text: string): readonly string[] {
  const visible = text.replace(/[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    /\s/.test(character) ? ' ' : '',
  );
  const plain = decompose(visible)
    // Only in these scripts are such marks accents; in others they are vowels.
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}\s]+/gu, (between) => (/[@$!|]/.test(between) ? between : ' '));
  const latin = replaced(plain, LOOKALIKES);
  const all = [plain, latin, replaced(latin, DIGITS)];
  // p a s s w o r d
  return [
    ...all,
    ...all.map((each) =>
      each.replace(/(?<![\p{L}\p{N}])(?:[\p{L}\p{N}] ){2,}[\p{L}\p{N}](?![\p{L}\p{N}])/gu, (spaced) =>
        spaced.replaceAll(' ', ''),
      ),
    ),
  ];
}

const replaced = (text: string, letters: ReadonlyMap<string, string>): string =>
  Array.from(text, (letter) => letters.get(letter) ?? letter).join('');

/** Letters of Cyrillic and Greek that look like a Latin one. */
const LOOKALIKES = pairs(
  'аa вb еe кk мm нh оo рp сc тt уy хx ѕs іi јj ԁd һh ԝw αa εe ηn ιi κk νv οo ρp τt υu χx ωw',
);
const DIGITS = pairs('0o 1i 3e 4a 5s 7t 8b @a $s !i |l');

function pairs(list: string): ReadonlyMap<string, string> {
  return new Map(list.split(' ').map(([from = '', to = '']) => [from, to]));
}
