import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5.9';

const root = join(import.meta.dirname, '../../../..');

/** The names of the members of an interface, or of an object type, in a file of TypeScript. */
export function membersOf(file: string, type: string): readonly string[] {
  const path = join(root, file);
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  return source.statements.flatMap((statement) => {
    const isInterface = ts.isInterfaceDeclaration(statement) && statement.name.text === type;
    if (isInterface) return statement.members.map((member) => member.name?.getText(source) ?? '');
    const isAlias = ts.isTypeAliasDeclaration(statement) && statement.name.text === type;
    const members = isAlias && ts.isTypeLiteralNode(statement.type) ? statement.type.members : [];
    return members.map((member) => member.name?.getText(source) ?? '');
  });
}
