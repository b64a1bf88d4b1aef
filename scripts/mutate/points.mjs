/** Finds the places of a source file at which one small change can be made, each with the changed text. */
import ts from 'typescript-5.9';

const OPPOSITE = new Map([
  [ts.SyntaxKind.LessThanToken, ['boundary', '<=']],
  [ts.SyntaxKind.LessThanEqualsToken, ['boundary', '<']],
  [ts.SyntaxKind.GreaterThanToken, ['boundary', '>=']],
  [ts.SyntaxKind.GreaterThanEqualsToken, ['boundary', '>']],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, ['equality', '!==']],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, ['equality', '===']],
  [ts.SyntaxKind.AmpersandAmpersandToken, ['logic', '||']],
  [ts.SyntaxKind.BarBarToken, ['logic', '&&']],
]);
/** Properties that only a person reads. */
const PROSE = /^(?:message|hint|description|detail)$/;
/** A statement that only writes to a log. */
const LOGS = /^(?:await )?[\w.]*\blog(?:ger)?\??\.\w+\(/i;
/** From here on a number is a time or a size, in which one more cannot be noticed: such a number is doubled. */
const LARGE = 1000;

/**
 * Returns every point of `text` in the order of the file.
 * @returns {{ operator: string, start: number, end: number, replacement: string }[]}
 */
export function findPoints(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const points = [];
  const add = (operator, node, replacement) =>
    points.push({ operator, start: node.getStart(), end: node.end, replacement });

  const visit = (node) => {
    if (isSkipped(node)) return;
    if (ts.isIfStatement(node)) addGuard(node, add);
    const condition = conditionOf(node);
    if (condition && operatorOf(condition)?.[0] !== 'equality')
      add('condition', condition, negated(condition));
    if (ts.isBinaryExpression(node)) {
      const [operator, replacement] = operatorOf(node) ?? [];
      if (operator) add(operator, node.operatorToken, replacement);
      if (isPlusOrMinus(node) && ts.isNumericLiteral(node.right)) {
        add('off by one', node, node.left.getText());
        return visit(node.left);
      }
    }
    if (ts.isNumericLiteral(node)) add('off by one', node, changedNumber(node));
    if (ts.isExpressionStatement(node) && node.expression.kind !== ts.SyntaxKind.StringLiteral)
      add('statement', node, ';');
    if (ts.isAwaitExpression(node) && !isReturned(node)) add('await', node, node.expression.getText());
    if (node.kind === ts.SyntaxKind.TrueKeyword) add('literal', node, 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) add('literal', node, 'true');
    if (ts.isStringLiteral(node) && isDefault(node))
      add('literal', node, node.text === '' ? "'other'" : "''");
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return points;
}

/** Types, imports and texts for people. */
function isSkipped(node) {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isThrowStatement(node)) return true;
  if (ts.isPropertyAssignment(node)) return PROSE.test(node.name.getText());
  if (!ts.isExpressionStatement(node)) return false;
  const { expression } = node;
  const isSuper =
    ts.isCallExpression(expression) && expression.expression.kind === ts.SyntaxKind.SuperKeyword;
  return isSuper || LOGS.test(node.getText());
}

function conditionOf(node) {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)) return node.expression;
  return ts.isConditionalExpression(node) || ts.isForStatement(node) ? node.condition : undefined;
}

function negated(condition) {
  const isNot =
    ts.isPrefixUnaryExpression(condition) && condition.operator === ts.SyntaxKind.ExclamationToken;
  return isNot ? condition.operand.getText() : `!(${condition.getText()})`;
}

function operatorOf(node) {
  return ts.isBinaryExpression(node) ? OPPOSITE.get(node.operatorToken.kind) : undefined;
}

function isPlusOrMinus({ operatorToken: { kind } }) {
  return kind === ts.SyntaxKind.PlusToken || kind === ts.SyntaxKind.MinusToken;
}

/** `if (…) return …;` and `if (…) throw …;` without their body. */
function addGuard({ thenStatement, elseStatement }, add) {
  const isBlock = ts.isBlock(thenStatement) && thenStatement.statements.length === 1;
  const only = isBlock ? thenStatement.statements[0] : thenStatement;
  const leaves = ts.isReturnStatement(only) || ts.isThrowStatement(only) || ts.isContinueStatement(only);
  if (leaves && elseStatement === undefined) add('guard', only, ';');
}

function changedNumber(node) {
  const value = Number(node.text);
  return String(value < LARGE ? value + 1 : value * 2);
}

/** Whether the promise is returned anyway, so that `await` changes nothing but the stack. */
function isReturned(node) {
  if (ts.isArrowFunction(node.parent)) return true;
  if (!ts.isReturnStatement(node.parent)) return false;
  let around = node.parent;
  while (around && !ts.isFunctionLike(around) && !ts.isTryStatement(around)) around = around.parent;
  return !around || !ts.isTryStatement(around);
}

function isDefault({ parent, pos }) {
  if (ts.isParameter(parent) || ts.isBindingElement(parent)) return parent.initializer?.pos === pos;
  return (
    ts.isBinaryExpression(parent) &&
    parent.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken &&
    parent.right.pos === pos
  );
}
