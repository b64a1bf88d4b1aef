/** The messages of errors, read from the sources: each call that passes a code of the table and a text. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5.9';
import { publicPackages } from './workspace.mjs';

/**
 * @param codes the known codes.
 * @returns a map from code to `{ message, packages }`, in the order of the messages.
 */
export function errorMessages(root, codes) {
  const found = new Map([...codes].map((code) => [code, new Map()]));
  for (const { folder } of publicPackages(root)) {
    const source = join(root, 'packages', folder, 'src');
    for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const text = readFileSync(join(source, name), 'utf8');
      for (const { code, message } of messagesOf(name, text, found)) {
        const messages = found.get(code);
        const entry = messages.get(message) ?? { message, packages: new Set() };
        entry.packages.add(folder);
        messages.set(message, entry);
      }
    }
  }
  const inOrder = (messages) => [...messages.values()].toSorted((a, b) => (a.message < b.message ? -1 : 1));
  return new Map([...found].map(([code, messages]) => [code, inOrder(messages)]));
}

function messagesOf(name, text, codes) {
  const file = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true);
  const reader = textReader(declarationsOf(file));
  const found = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node))
      found.push(...fromArguments(node.arguments ?? []));
    if (ts.isObjectLiteralExpression(node)) found.push(...fromMembers(node));
    if (ts.isPropertyAssignment(node)) found.push(...fromRow(node));
    ts.forEachChild(node, visit);
  };

  /** `new FittingsError('CODE', message)`, and functions with the same first arguments. */
  const fromArguments = (args) => {
    const at = args.findIndex((argument) => codesIn(argument).length > 0);
    if (at === -1) return [];
    return codesIn(args[at]).flatMap((code) => combined(code, reader(args[at + 1])));
  };

  /** `{ code: 'CODE', message }`: rows of tables. */
  const fromMembers = (object) =>
    codesIn(member(object, 'code')).flatMap((code) => combined(code, reader(member(object, 'message'))));

  /** `CODE: message`, in an object that has a text for each code; a table of hints is named so. */
  const fromRow = (property) => {
    const code = ts.isIdentifier(property.name) ? property.name.text : '';
    if (!codes.has(code)) return [];
    const table = property.parent.parent;
    const hasHints = ts.isVariableDeclaration(table) && /hint/i.test(name + table.name.getText());
    return hasHints ? [] : combined(code, reader(property.initializer));
  };

  const codesIn = (node) => {
    if (node === undefined) return [];
    if (ts.isConditionalExpression(node)) return [...codesIn(node.whenTrue), ...codesIn(node.whenFalse)];
    return ts.isStringLiteral(node) && codes.has(node.text) ? [node.text] : [];
  };

  visit(file);
  return found;
}

/** Constants and functions of the file by their names. */
function declarationsOf(file) {
  const found = new Map();
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined)
      found.set(node.name.text, node.initializer);
    if (ts.isFunctionDeclaration(node) && node.name !== undefined) found.set(node.name.text, node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function combined(code, messages) {
  return messages.map((message) => ({ code, message }));
}

function member(object, name) {
  const property = object.properties.find(
    (one) => one.name !== undefined && ts.isIdentifier(one.name) && one.name.text === name,
  );
  if (property === undefined) return undefined;
  return ts.isPropertyAssignment(property) ? property.initializer : property.name;
}

/** Reads the texts that an expression can be, as far as its file says; values are in braces. */
function textReader(declarations) {
  const read = (node, depth = 0) => {
    if (node === undefined || depth > 6) return [];
    const next = (inner) => read(inner, depth + 1);
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return sentences([node.text]);
    if (ts.isConditionalExpression(node)) return [...next(node.whenTrue), ...next(node.whenFalse)];
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return next(node.expression);
    if (ts.isTemplateExpression(node)) {
      const rest = node.templateSpans.map(
        ({ expression, literal }) => `{${valueName(expression)}}${literal.text}`,
      );
      return sentences([node.head.text + rest.join('')]);
    }
    if (ts.isBinaryExpression(node)) {
      const [left, right] = [next(node.left), next(node.right)];
      if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) return [...left, ...right];
      return left.length === 1 && right.length === 1 ? [left[0] + right[0]] : [];
    }
    if (ts.isArrowFunction(node) || ts.isFunctionDeclaration(node)) return returned(node).flatMap(next);
    if (ts.isIdentifier(node)) return next(declarations.get(node.text));
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression))
      return next(declarations.get(node.expression.text));
    return [];
  };
  return (node) => read(node);
}

function returned({ body }) {
  if (body === undefined || !ts.isBlock(body)) return body === undefined ? [] : [body];
  const found = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression);
    ts.forEachChild(node, visit);
  };
  visit(body);
  return found;
}

/** Names and keys stand in the same places as messages; a message has words. */
function sentences(texts) {
  return texts.filter((text) => /\S\s+\S/.test(text));
}

/** What stands for a value: the last name of its expression. */
function valueName(expression) {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  if (ts.isCallExpression(expression)) return valueName(expression.arguments[0] ?? expression.expression);
  if (ts.isParenthesizedExpression(expression) || ts.isNonNullExpression(expression))
    return valueName(expression.expression);
  if (ts.isConditionalExpression(expression)) return valueName(expression.whenTrue);
  if (ts.isBinaryExpression(expression)) return valueName(expression.left);
  if (ts.isElementAccessExpression(expression)) return valueName(expression.expression);
  return '…';
}
