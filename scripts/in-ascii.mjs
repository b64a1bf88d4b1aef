/** A plugin of rolldown. With one character of another script, V8 keeps the whole file in two bytes a character, and takes longer to scan it. */
export function inAscii() {
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return {
    name: 'in-ascii',
    generateBundle(_options, files) {
      for (const file of Object.values(files)) {
        if (file.type !== 'chunk') continue;
        // There an escape means something else.
        if (/\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f`]/.test(file.code))
          throw new Error(`${file.fileName} has characters that cannot be escaped.`);
        file.code = file.code.replaceAll(/[^\0-\x7f]/g, escaped);
      }
    },
  };
}
