/** The steps of `npm run check -- --changed`, for the files that differ from a branch or are not committed. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const CHEAP = [
  'dependency direction',
  'folder cycles',
  'file sizes',
  'replaced members of transports',
  'workflows',
];
const PACKAGE = /^(?:packages\/[^/]+|examples\/[^/]+|bench|test\/compat)(?=\/)/;

/** @returns steps of the same form as those of check.mjs. */
export function changedSteps(all, base) {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
  const [fork = 'HEAD'] = git('merge-base', 'HEAD', base);
  const changed = [...git('diff', '--name-only', fork), ...git('ls-files', '-o', '--exclude-standard')];
  const files = changed.filter((file) => existsSync(file));
  const packages = [...new Set(changed.flatMap((file) => PACKAGE.exec(file) ?? []))].filter((folder) =>
    existsSync(join(folder, 'package.json')),
  );
  const code = files.filter((file) => /\.[mc]?[jt]s$/.test(file));
  const filters = packages.map((folder) => `--filter=./${folder}`);
  const tested = packages.map((folder) => `${folder}/test/`);
  console.log(`Changed since ${base}: ${changed.length} files, of ${packages.join(', ') || 'no package'}.`);
  return [
    ...(files.length > 0
      ? [
          ['format', 'prettier', ['--check', '--log-level', 'warn', '--ignore-unknown', ...files]],
          ['voice', process.execPath, ['scripts/check-voice.mjs', ...files]],
        ]
      : []),
    ...(packages.length > 0
      ? [['build', 'turbo', ['run', 'build', '--output-logs=errors-only', ...filters]]]
      : []),
    ...(code.length > 0
      ? [
          ['lint', 'oxlint', ['--type-aware', '--deny-warnings', ...packages, ...code]],
          ...all.filter(([name]) => name === 'types of the tests'),
        ]
      : []),
    ...all.filter(([name]) => CHEAP.includes(name)),
    ...(tested.length > 0 ? [['tests', 'vitest', ['run', '--passWithNoTests', ...tested]]] : []),
  ];
}
