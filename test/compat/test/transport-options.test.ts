import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5.9';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** The options of the factory of each transport. */
const OPTIONS = {
  http: 'HttpTransportOptions',
  sse: 'SseTransportOptions',
  ws: 'WebSocketTransportOptions',
  stdio: 'StdioTransportOptions',
  inprocess: 'InProcessTransportOptions',
} as const;
type TransportName = keyof typeof OPTIONS;
const TRANSPORTS = ['http', 'sse', 'ws', 'stdio', 'inprocess'] as const satisfies readonly TransportName[];

/** Types whose members are options themselves: these, and object types without a name. Anything else, such as an `AuthProvider`, is one value. */
const GROUP = /^(?:__type|Omit)$|(?:Options|Timeouts|Times|Certificate)$/;

/** The text of the type of each option, by path (`network.timeouts.connectMs`); of a group, its name is not compared. */
function readOptions(): Readonly<Record<TransportName, ReadonlyMap<string, string>>> {
  const entry = (name: TransportName): string => join(root, `packages/transport-${name}/src/index.ts`);
  const program = ts.createProgram(TRANSPORTS.map(entry), {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    customConditions: ['@mcp-fittings/source'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  });
  const checker = program.getTypeChecker();

  const isGroup = (type: ts.Type): boolean =>
    type.isIntersection() ||
    (type.getCallSignatures().length === 0 && GROUP.test((type.aliasSymbol ?? type.symbol)?.name ?? ''));
  const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);
  const textOf = (type: ts.Type): string =>
    partsOf(type)
      .filter((part) => (part.flags & ts.TypeFlags.Undefined) === 0)
      .map((part) =>
        isGroup(part) ? 'options' : checker.typeToString(part, undefined, ts.TypeFormatFlags.NoTruncation),
      )
      .toSorted()
      .join(' | ');

  const collect = (type: ts.Type, prefix: string, found: Map<string, string>): void => {
    for (const property of checker.getPropertiesOfType(type)) {
      const member = checker.getTypeOfSymbol(property);
      found.set(prefix + property.name, textOf(member));
      for (const part of partsOf(member)) {
        // `requestInit` belongs to the official SDK; its row says which member of it is supported.
        if (isGroup(part) && property.name !== 'requestInit')
          collect(part, `${prefix}${property.name}.`, found);
      }
    }
  };

  const read = (name: TransportName): ReadonlyMap<string, string> => {
    const source = program.getSourceFile(entry(name));
    const module = source && checker.getSymbolAtLocation(source);
    const exported = module && checker.getExportsOfModule(module).find((each) => each.name === OPTIONS[name]);
    if (exported === undefined) throw new Error(`transport-${name} does not export ${OPTIONS[name]}`);
    const found = new Map<string, string>();
    collect(checker.getDeclaredTypeOfSymbol(resolved(exported)), '', found);
    return found;
  };
  const resolved = (symbol: ts.Symbol): ts.Symbol =>
    (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);

  return {
    http: read('http'),
    sse: read('sse'),
    ws: read('ws'),
    stdio: read('stdio'),
    inprocess: read('inprocess'),
  };
}

const types = readOptions();
const paths = [...new Set(TRANSPORTS.flatMap((name) => [...types[name].keys()]))];
const holdersOf = (path: string): readonly TransportName[] =>
  TRANSPORTS.filter((name) => types[name].has(path));
const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

const readme = (folder: string): string => readFileSync(join(root, `packages/${folder}/README.md`), 'utf8');
/** `network` is that of `http-client`. */
const documented = (name: TransportName, path: string): string =>
  path.startsWith('network.')
    ? readme(`transport-${name}`) + readme('http-client')
    : readme(`transport-${name}`);

it.each(TRANSPORTS)('the README of transport-%s names each of its options', (name) => {
  const missing = [...types[name].keys()].filter(
    (path) => !new RegExp(`\`[^\`\\n]*\\b${lastOf(path)}\\b[^\`\\n]*\``).test(documented(name, path)),
  );
  expect(missing).toEqual([]);
});

it.each(paths)('%s has one type in all transports that have it', (path) => {
  const texts = TRANSPORTS.flatMap((name) => types[name].get(path) ?? []);
  expect(new Set(texts).size, texts.join(' / ')).toBe(1);
});

/** `env` of stdio is the environment of the server; `network.env` is where this process looks for a proxy. */
const SEPARATE_MEANINGS: ReadonlySet<string> = new Set(['env']);

it.each(paths)('%s is not elsewhere in a transport that lacks it', (path) => {
  if (SEPARATE_MEANINGS.has(lastOf(path))) return;
  const here = holdersOf(path);
  const moved = paths.filter(
    (each) => lastOf(each) === lastOf(path) && !holdersOf(each).some((name) => here.includes(name)),
  );
  expect(moved).toEqual([]);
});
