type ElicitedValue = string | number | boolean | string[];

/** Only what a form can hold goes to the server: text, numbers, truth values, lists of text. */
export function elicited(content: Readonly<Record<string, unknown>>): Record<string, ElicitedValue> {
  const values: Record<string, ElicitedValue> = {};
  for (const [name, value] of Object.entries(content)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      values[name] = value;
    else if (Array.isArray(value) && value.every((element) => typeof element === 'string'))
      values[name] = [...value];
  }
  return values;
}
