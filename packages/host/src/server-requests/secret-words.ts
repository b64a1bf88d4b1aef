/**
 * Words with which a text asks for a secret, as {@link foldings} writes them: in lower case and without accents. Those of
 * `ANYWHERE` match anywhere in a text; short ones match as whole words only.
 */
const ANYWHERE = [
  // English, and identifiers in programs
  'pass ?(?:word|phrase|code|key|wd)',
  'secret',
  'token',
  'credential',
  'bearer',
  '(?:api|access|private|signing|encryption|master|recovery|security) ?keys?',
  '(?:security|verification|confirmation|one time|login|auth\\w*|access|backup|recovery|sms) ?codes?',
  '(?:seed|recovery|backup|mnemonic) ?(?:phrase|words?)',
  'mnemonic',
  'social ?security',
  '(?:credit|debit|bank) ?card',
  'card ?(?:number|no\\b|verification)',
  // Western and northern Europe
  'passwort|kennwort|losungswort|geheimzahl|geheimnis|zugangsdaten|zugangsschlussel|passwoord|wachtwoord|toegangscode',
  'mots? de passe|code secret|phrase secrete|identifiants? de connexion|jeton|cle (?:api|privee|secrete|d.acces)',
  'contrasen|clave (?:secreta|de acceso|privada|api)|palabra clave|codigo de (?:acceso|seguridad|verificacion)|credencial',
  'senha|palavra.?passe|palavra.?chave|chave (?:secreta|privada|de acesso|api)',
  'parola d.ordine|parola chiave|chiave (?:segreta|privata|di accesso|api)|credenzial|codice (?:segreto|di sicurezza)',
  'losenord|losen\\b|adgangskode|adgangsord|passord|lykilord|salasana|tunnussana|salasona|parool',
  'pasahitza|pasfhocal|cyfrinair|contrasinal|fjalekalim|pasvorto',
  // Central and eastern Europe, Turkey, Central Asia
  'jelszo|slaptazod|zaporka|lozinka|parola\\b|parolei?\\b|parol\\b|sifre|sifra\\b|tajne heslo|klucz (?:api|prywatny|dostepu)',
  'парол|лозинк|шифра|секрет|токен|ключ (?:доступа|api)|закрыт\\S* ключ|код (?:подтвержден|доступ|безопасност)|құпия|сырсөз|нууц үг',
  'κωδικ|συνθηματικ|μυστικο|գաղտնաբառ|პაროლი',
  // Near East, Africa
  'كلمة (?:المرور|السر|مرور|سر)|الرقم السري|رمز (?:المرور|عبور|التحقق|الدخول)|گذرواژه|کلمه عبور|پاس ?ورڈ|پاسورڈ|סיסמ|סוד|nenosiri|የይለፍ',
  // South and East Asia
  'पासवर्ड|कूटशब्द|पिन|গোপন|পাসওয়ার্ড|கடவுச்சொல்|పాస్ ?వర్డ్|ਪਾਸਵਰਡ|પાસવર્ડ|പാസ്.?വേഡ്|ಪಾಸ್.?ವರ್ಡ್|මුරපද',
  'รหัส|โทเค็น|ពាក្យសម្ងាត់|စကားဝှက်|ລະຫັດ',
  '密码|密碼|口令|令牌|密钥|密鑰|金鑰|私钥|私鑰|秘钥|秘密|机密|機密|验证码|驗證碼|助记词|助記詞|支付码|信用卡号',
  'パスワード|ぱすわーど|パスコード|パスフレーズ|パスキー|暗証|暗号|合言葉|トークン|シークレット|秘密|認証コード|apiキー',
  '비밀 ?번호|암호|비밀|패스워드|토큰|인증 ?(?:번호|코드)|개인 ?키',
  'mat khau|ma (?:pin|otp|xac (?:nhan|thuc))|kata ?sandi|kata ?laluan|sandi\\b',
];
const WHOLE_WORDS = [
  'pin',
  'pins',
  'pwd',
  'pswd',
  'psw',
  'pw',
  'otp',
  'totp',
  '2fa',
  'mfa',
  'cvv2?',
  'cvc2?',
  'ssn',
  'iban',
  'haslo',
  'hasla',
  'heslo',
  'hesla',
  'geslo',
  'clave',
  'nip',
  'mdp',
  'пин',
  'парола',
];

const SECRET = new RegExp(
  `${ANYWHERE.join('|')}|(?<![\\p{L}\\p{N}])(?:${WHOLE_WORDS.join('|')})(?![\\p{L}\\p{N}])`,
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
  const plain = text
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
      /\s/.test(character) ? ' ' : '',
    )
    .normalize('NFD')
    // Only in these scripts are such marks accents; in others they are vowels.
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{M}*)\p{M}/gu, '')
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

/** Letters that look like a Latin one, from Cyrillic, Greek, Armenian, Cherokee, and small capitals. */
const LOOKALIKES = pairs(
  'аa бb вb гr еe ёe ѐe зe иu іi їi јj кk ԛq мm нh оo рp сc тt уy хx ѕs ԝw ԁd ɡg һh ӏl ѵv ь b пn чy ' +
    'αa βb γy εe ηn ιi κk μu νv οo ρp τt υu χx ωw ϲc σo ϳj ' +
    'օo ոn սu ցg հh զq ոn ғf ' +
    'ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ' +
    'ꭺa ꮯc ꭰd ꭼe ꮋh ꭻj ꮶk ꮮl ꮇm ꮲp ꮪs ꭲt ꮩv ꮃw ꮓz ' +
    'ɑa ɐa ƅb ɔc ɗd ɛe ǝe ƒf ɦh ıi ɩi ɭl łl ɱm ɲn øo ɵo ɹr ɾr ʂs ʇt ʈt ʌv ʍw đd ħh ðd þp ŧt æa œo ßs',
);
const DIGITS = pairs('0o 1i 3e 4a 5s 7t 8b @a $s !i |l');

function pairs(list: string): ReadonlyMap<string, string> {
  return new Map(
    list.split(/\s+/).flatMap((pair): readonly (readonly [string, string])[] => {
      const [from, to] = Array.from(pair);
      return from === undefined || to === undefined ? [] : [[from, to]];
    }),
  );
}
