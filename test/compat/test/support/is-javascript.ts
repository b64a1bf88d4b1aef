import ts from 'typescript-5.9';

/** Whether TypeScript code holds nothing that plain JavaScript does not have. */
export function isJavaScript(code: string): boolean {
  const source = ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  let found = true;
  const look = (node: ts.Node): void => {
    if (isTypeSyntax(node)) found = false;
    else ts.forEachChild(node, look);
  };
  look(source);
  return found;
}

function isTypeSyntax(node: ts.Node): boolean {
  if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return true;
  if (ts.isExpressionWithTypeArguments(node)) {
    return (
      node.typeArguments !== undefined || (ts.isHeritageClause(node.parent) && isImplements(node.parent))
    );
  }
  if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  if (ts.isParameter(node) && (ts.getModifiers(node)?.length ?? 0) > 0) return true;
  if (ts.isImportSpecifier(node) || ts.isExportSpecifier(node) || ts.isExportDeclaration(node))
    return node.isTypeOnly;
  return (
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isTypeParameterDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isNonNullExpression(node) ||
    isClassModifier(node)
  );
}

function isImplements(clause: ts.HeritageClause): boolean {
  return clause.token === ts.SyntaxKind.ImplementsKeyword;
}

function isClassModifier({ kind }: ts.Node): boolean {
  return [
    ts.SyntaxKind.PrivateKeyword,
    ts.SyntaxKind.ProtectedKeyword,
    ts.SyntaxKind.PublicKeyword,
    ts.SyntaxKind.ReadonlyKeyword,
    ts.SyntaxKind.AbstractKeyword,
    ts.SyntaxKind.OverrideKeyword,
    ts.SyntaxKind.DeclareKeyword,
  ].includes(kind);
}
