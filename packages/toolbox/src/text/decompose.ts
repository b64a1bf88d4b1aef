/**
 * Returns a text in NFKD, of each letter with eight marks at most: to sort many marks takes `normalize()` a time that is quadratic in
 * their number. Of half-width katakana, two letters become marks.
 */
export function decompose(text: string): string {
  return text.replace(/([\p{M}ﾞﾟ]{8})[\p{M}ﾞﾟ]+/gu, '$1').normalize('NFKD');
}
