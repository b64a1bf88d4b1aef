/**
 * `npm run new:package transport|auth|store <name>`: a package that works over a trivial wire, issuer or service, passes
 * its contract suite and `npm run check`, and waits for you to put the real thing in its place.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { KINDS } from './new-package/kinds.mjs';
import { changesetOf, manifestOf, readmeOf, TESTS_TSCONFIG, tsconfigOf } from './new-package/texts.mjs';
import { readManifests } from './workspace.mjs';

/** The heading of each kind in the list of packages of the README. */
const GROUPS = { transport: 'Transports', auth: 'Sign-in', store: 'Stores' };

const root = process.cwd();
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { install: { type: 'boolean', default: true } },
  allowNegative: true,
});
const [kind, name = ''] = positionals;
const { example, word, purpose, usage, needs, dependencies, devDependencies } = KINDS[kind] ?? {};
if (example === undefined || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
  console.error(`usage: npm run new:package ${Object.keys(KINDS).join('|')} <name-in-lower-case>`);
  process.exit(2);
}

const folder = `${kind}-${name}`;
const place = join(root, 'packages', folder);
if (existsSync(place)) {
  console.error(`packages/${folder} exists.`);
  process.exit(2);
}
const pascal = name.replaceAll(/(?:^|-)(.)/g, (_, letter) => letter.toUpperCase());
const camel = pascal[0].toLowerCase() + pascal.slice(1);
const description = purpose(name);
const manifests = readManifests(root);
const versions = Object.fromEntries(manifests.map(({ folder: of, manifest: { version } }) => [of, version]));

for (const part of ['src', 'test']) copyRenamed(join(root, 'examples', example, part), join(place, part));
cpSync(join(root, 'LICENSE'), join(place, 'LICENSE'));
const json = (value) => JSON.stringify(value, undefined, 2);
write('package.json', json(manifestOf({ folder, description, versions, dependencies, devDependencies })));
write('tsconfig.json', json(tsconfigOf(dependencies)));
write('test/tsconfig.json', json(TESTS_TSCONFIG));
write('README.md', readmeOf({ folder, description, usage: usage({ folder, camel, pascal }), needs }));
writeFileSync(join(root, '.changeset', `${folder}.md`), changesetOf({ folder, description }));
edit('scripts/check-direction.mjs', (text) => {
  const allowed = dependencies.map((each) => `'${each}'`).join(', ');
  return text.replace(/(export const ALLOWED = \{[\s\S]*?)\n\};/, `$1\n  '${folder}': [${allowed}],\n};`);
});
edit('README.md', (text) =>
  text.replace(
    new RegExp(`^### ${GROUPS[kind]}\\n(?:\\n|\\|.*\\n)*?(?:\\| \\[.*\\n)+`, 'm'),
    (table) => `${table}| [\`${folder}\`](packages/${folder}) | ${description} |\n`,
  ),
);

const touched = [`packages/${folder}`, 'README.md', 'scripts/check-direction.mjs', `.changeset/${folder}.md`];
run('prettier', ['--log-level', 'warn', '--write', ...touched]);
if (values.install) run('npm', ['install', '--no-progress']);
console.log(`\
packages/${folder} is there. Next:
  npx tsc -b packages/${folder}
  npx vitest run packages/${folder}/
  npm run api
  npm run check`);

/** The example's tests of other packages stay where they are; a package has those of its contract. */
function copyRenamed(from, to) {
  const isWanted = (file) => !file.endsWith('.test.ts') || file.endsWith('contract.test.ts');
  cpSync(from, to, { recursive: true, filter: isWanted });
  for (const file of readdirSync(to, { recursive: true }).filter((each) => each.endsWith('.ts'))) {
    writeFileSync(join(to, file), renamed(readFileSync(join(to, file), 'utf8')));
    renameSync(join(to, file), join(to, renamed(file)));
  }
}

function renamed(text) {
  const capital = word[0].toUpperCase() + word.slice(1);
  return text
    .replaceAll(new RegExp(`'${word}'`, 'g'), `'${name}'`)
    .replaceAll(new RegExp(`"${word}"`, 'g'), `"${name}"`)
    .replaceAll(new RegExp(`\\b${word}-`, 'g'), `${name}-`)
    .replaceAll(new RegExp(`${capital}(?=[A-Z])`, 'g'), pascal)
    .replaceAll(new RegExp(`\\b${word}(?=\\()|(?<=[ {])${word}(?=,| \\})`, 'g'), camel);
}

function write(file, text) {
  mkdirSync(join(place, file, '..'), { recursive: true });
  writeFileSync(join(place, file), text.endsWith('\n') ? text : `${text}\n`);
}

function edit(file, change) {
  const before = readFileSync(join(root, file), 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${file} is not as expected: add ${folder} there by hand.`);
  writeFileSync(join(root, file), after);
}

function run(command, args) {
  const path = `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`;
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  });
  if (status !== 0) process.exit(status ?? 1);
}
