import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5.9';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/from-the-sdk.md'), 'utf8');
const v1 = 'node_modules/@modelcontextprotocol/sdk/dist/esm/client';
const v2 = 'node_modules/@modelcontextprotocol/client/dist';

/** The names of the members of a type in declarations. */
function membersOf(file: string, type: string): readonly string[] {
  const path = join(root, file);
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const names: string[] = [];
  for (const statement of source.statements) {
    const members =
      ts.isInterfaceDeclaration(statement) && statement.name.text === type
        ? statement.members
        : ts.isTypeAliasDeclaration(statement) &&
            statement.name.text === type &&
            ts.isTypeLiteralNode(statement.type)
          ? statement.type.members
          : [];
    names.push(...members.map((member) => member.name?.getText(source) ?? ''));
  }
  return names;
}

it.each([
  [`${v1}/stdio.d.ts`, 'StdioServerParameters'],
  [`${v1}/streamableHttp.d.ts`, 'StreamableHTTPClientTransportOptions'],
  [`${v1}/streamableHttp.d.ts`, 'StreamableHTTPReconnectionOptions'],
  [`${v1}/sse.d.ts`, 'SSEClientTransportOptions'],
  [`${v2}/stdio.d.mts`, 'StdioServerParameters'],
  [`${v2}/index.d.mts`, 'StreamableHTTPClientTransportOptions'],
  [`${v2}/index.d.mts`, 'StreamableHTTPReconnectionOptions'],
  [`${v2}/index.d.mts`, 'SSEClientTransportOptions'],
])('M11: the page has every option of the SDK: %s, %s', (file, type) => {
  const members = membersOf(file, type);
  expect(members.length).toBeGreaterThan(3);
  expect(members.filter((name) => !page.includes(`\`${name}`) && !page.includes(` ${name}`))).toEqual([]);
});
