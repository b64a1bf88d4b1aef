import { docComment, propertyName, schemaComment } from './source-text.js';
import type { ObjectType, TupleType, TypeNode } from './type-node.js';

/** A longer union is written with one type on each line. */
const MAX_LINE = 100;

/** The type is longer than it may be. */
export class TypeTooLong extends Error {}

/** Writes one type. */
export class Printer {
  readonly #readonly: string;
  #left: number;

  /** @param options `readonlyArrays`: writes arrays as `readonly`, so that a program can pass both kinds. */
  constructor(options: { readonly readonlyArrays: boolean; readonly maxCharacters: number }) {
    this.#readonly = options.readonlyArrays ? 'readonly ' : '';
    this.#left = options.maxCharacters;
  }

  /** The first line is not indented. Throws {@link TypeTooLong}. */
  print(type: TypeNode, indent: string): string {
    switch (type.kind) {
      case 'reference':
        return this.#count(type.cut ? 'unknown' : type.definition.name);
      case 'union':
      case 'intersection':
        return this.#combination(type.kind === 'union' ? '|' : '&', type.members, indent);
      case 'array':
        return this.#count(`${this.#readonly}${this.#grouped(type.element, indent)}[]`);
      case 'tuple':
        return this.#tuple(type, indent);
      case 'object':
        return this.#object(type, indent);
      default:
        return this.#count(type.text);
    }
  }

  /** Prints a type in parentheses if the compiler would read it differently beside an operator. */
  #grouped(type: TypeNode, indent: string): string {
    const text = this.print(type, indent);
    const isCompound = type.kind === 'union' || type.kind === 'intersection';
    return isCompound || text.startsWith('readonly ') ? `(${text})` : text;
  }

  #combination(operator: string, members: readonly TypeNode[], indent: string): string {
    const texts = members.map((member) =>
      member.kind === 'union' || member.kind === 'intersection'
        ? this.#grouped(member, indent)
        : this.print(member, indent),
    );
    const line = texts.join(` ${operator} `);
    if (line.length <= MAX_LINE || texts.some((text) => text.includes('\n'))) return line;
    return texts.map((text) => `\n${indent}  ${operator} ${this.#count(text)}`).join('');
  }

  #tuple({ elements, required, rest }: TupleType, indent: string): string {
    const texts = elements.map((element, index) =>
      index < required ? this.print(element, indent) : `${this.#grouped(element, indent)}?`,
    );
    if (rest !== undefined) texts.push(`...${this.#grouped(rest, indent)}[]`);
    return this.#count(`${this.#readonly}[${texts.join(', ')}]`);
  }

  #object({ properties, index }: ObjectType, indent: string): string {
    if (properties.length === 0)
      return `{ [key: string]: ${index === undefined ? 'never' : this.print(index, indent)} }`;
    const inner = `${indent}  `;
    let text = '{\n';
    for (const { name, optional, type, schema } of properties) {
      if (schema !== undefined) text += this.#count(docComment(schemaComment(schema), inner));
      const head = this.#count(`${inner}${propertyName(name)}${optional ? '?' : ''}: `);
      text += `${head}${this.print(type, inner)};\n`;
    }
    if (index !== undefined)
      text += this.#count(`${inner}[key: string]: `) + `${this.print(index, inner)};\n`;
    return `${text}${indent}}`;
  }

  #count(text: string): string {
    this.#left -= text.length;
    if (this.#left < 0) throw new TypeTooLong();
    return text;
  }
}
