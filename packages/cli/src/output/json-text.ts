/** What a terminal would act on, or a person could not see. `JSON.stringify` escapes only the ASCII part of it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * JSON that means the same and is fit for a terminal: invisible and direction-changing characters are written as `\u`
 * escapes.
 */
export function jsonText(value: unknown, indent?: number): string {
  // A value that JSON knows nothing of, such as `undefined`, is written as null.
  const text: string | undefined = JSON.stringify(value, undefined, indent);
  return (text ?? 'null').replaceAll(UNSEEN, (character) => {
    // Between tokens the only ones are our own line feeds.
    if (character === '\n') return character;
    return Array.from({ length: character.length }, (_, index) => {
      const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join('');
  });
}
