/** Which requirements the titles of the tests cite. */
import { readFileSync } from 'node:fs';
import ts from 'typescript-5.9';

/** One id, as a title spells it: `CF-09`, `S12`, `D.1-9`, `PAINS 7` or `PAINS-7`, `minor 6`, `SPEC 76-79`, `SPEC 24, 25`. */
const ID =
  /(?:[A-Z]{2}-\d\d|[A-Z]\d{1,2}|[A-Z]\.\d-\d+|PAINS[ -]\d+|minor \d+|SPEC (?:[A-Z]\.\d )?\d+(?:-\d+|(?:, \d+)+)?|HOUSE|PERF)(?![\w-])/y;
/** What stands between two ids: a blank, or a comma or colon and a blank. */
const SEPARATOR = /[,:]? /y;

/**
 * The ids that a title cites. They stand at its beginning, separated by blanks or by `, ` or `: `; a colon may end
 * them. An id further on in the title is not a citation.
 */
export function citedIn(title: string): readonly string[] {
  const ids: string[] = [];
  let end = 0;
  for (;;) {
    ID.lastIndex = end;
    const [spelling] = ID.exec(title) ?? [];
    if (spelling === undefined) return ids;
    ids.push(...idsOf(spelling));
    SEPARATOR.lastIndex = ID.lastIndex;
    if (!SEPARATOR.test(title)) return ids;
    end = SEPARATOR.lastIndex;
  }
}

/** `SPEC 76-79` is four ids, `SPEC B.5 44` is `SPEC 44`, and `PAINS-9` is `PAINS 9`. */
function idsOf(spelling: string): readonly string[] {
  if (spelling.startsWith('PAINS')) return [spelling.replace('-', ' ')];
  if (!spelling.startsWith('SPEC')) return [spelling];
  const [first = 0, ...others] = (spelling.replace(/ [A-Z]\.\d/, '').match(/\d+/g) ?? []).map(Number);
  const last = others[0];
  const numbers =
    spelling.includes('-') && last !== undefined
      ? Array.from({ length: last - first + 1 }, (_, n) => first + n)
      : [first, ...others];
  return numbers.map((number) => `SPEC ${number}`);
}

/**
 * The titles in a file of tests: the first argument of `it`, `test`, `describe` and of what is made of them
 * (`it.each(rows)`, `describeWithRedis`); if it begins with a placeholder, what the rows put there. In the kit, where
 * cases are data, the `name` of an object.
 */
export function titlesOf(file: string, isKit: boolean): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, false);
  const titles: string[] = [];
  const tables = new Map<string, ts.Expression>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      tables.set(node.name.text, node.initializer);
    }
    if (ts.isCallExpression(node) && /^(?:it|test|describe\w*)$/.test(rootName(node.expression))) {
      const title = textOf(node.arguments[0]);
      if (title !== undefined) titles.push(title, ...rowTitles(title, node.expression, tables));
    }
    if (isKit && ts.isPropertyAssignment(node) && memberName(node) === 'name') {
      titles.push(textOf(node.initializer) ?? '');
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

/** What the rows of `it.each(rows)('%s …')` or `describe.each(rows)('$name …')` put at the beginning of the title. */
function rowTitles(
  title: string,
  each: ts.Expression,
  tables: ReadonlyMap<string, ts.Expression>,
): readonly string[] {
  const [, member] = /^(?:%s|\$(\w+))/.exec(title) ?? [];
  if (!/^[%$]/.test(title) || !ts.isCallExpression(each)) return [];
  const given = each.arguments[0];
  const table = given && ts.isIdentifier(given) ? tables.get(given.text) : given;
  if (table === undefined || !ts.isArrayLiteralExpression(table)) return [];
  return table.elements.flatMap((row) => textOf(cellOf(row, member)) ?? []);
}

function cellOf(row: ts.Expression, member: string | undefined): ts.Expression | undefined {
  if (ts.isArrayLiteralExpression(row)) return row.elements[0];
  if (!ts.isObjectLiteralExpression(row)) return row;
  return row.properties
    .filter((property) => ts.isPropertyAssignment(property))
    .find((property) => memberName(property) === member)?.initializer;
}

/** The text of a literal; of a template what stands before its first `${`. */
function textOf(node: ts.Expression | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.head.text : undefined;
}

function memberName(property: ts.PropertyAssignment): string | undefined {
  return ts.isIdentifier(property.name) ? property.name.text : undefined;
}

/** `it` of `it.each(rows)` and of `it.runIf(posix)`. */
function rootName(callee: ts.Expression): string {
  if (ts.isIdentifier(callee)) return callee.text;
  return ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)
    ? rootName(callee.expression)
    : '';
}
