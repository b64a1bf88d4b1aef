import ts from 'typescript-5.9';

/** Type arguments of a call, which a parser of JavaScript reads as comparisons. */
const TYPE_ARGUMENTS = /\w<[^()\n]+>\(/;

/** Returns whether TypeScript code holds nothing that plain JavaScript does not have. */
export const isJavaScript = (code: string): boolean =>
  !TYPE_ARGUMENTS.test(code) &&
  ts.transpileModule(code, {
    fileName: 'block.js',
    reportDiagnostics: true,
    compilerOptions: { allowJs: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  }).diagnostics?.length === 0;
