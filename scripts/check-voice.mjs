/**
 * Phrases that read as translated, and British spellings: the word list of CONTRIBUTING.md ("Voice"), over every text of the
 * tree. A phrase belongs here when it has a plainer form that always fits.
 *   node scripts/check-voice.mjs [FOLDER…]   only below these folders
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What is found, and what to write instead. */
const PHRASES = [
  [/\bcan not\b/i, 'cannot'],
  [
    /(?<!\bthere )\b(?:is|was) no (?!longer\b|more\b|less\b|other\b|later\b|earlier\b|bigger\b|larger\b|doubt\b)[a-z]+/i,
    'is not a …, there is no …',
  ],
  [/\b(?<!there )are no [a-z]+s\b/i, 'are not …'],
  [/\b(?:whoever|whomever)\b/i, 'the caller, the user, anyone who'],
  [/\b(?:some|no)body\b(?! else's problem)/i, 'the caller, the user, no one'],
  [/\bin vain\b/i, 'without success'],
  [/\b(?:came|comes|come) about\b/i, 'happened, was made'],
  [/\bis none\b/i, 'is not one, there is none'],
  [/\b(?:had|has|have) back\b/i, 'reconnected, restored'],
  [/\btaken over\b/i, 'imported, adopted'],
  [/\bfeels? responsible\b/i, 'accepts'],
  [/\bworth to\b/i, 'worth …ing'],
  [/\bmakes? nothing of\b/i, 'cannot represent, ignores'],
  [/\bleft no word\b/i, 'wrote nothing'],
  [/\bin a wrong way\b/i, 'invalid'],
  [/\bcould not be had\b/i, 'could not be obtained'],
  [/\b(?:is|are|was|were) to be had\b/i, 'is available'],
  [/\bgoes? on unheard\b/i, 'continues and is ignored'],
  [
    /\b(?:normalis|serialis|recognis|authoris|initialis|organis|customis|minimis|optimis|sanitis|summaris|synchronis|tokenis|canonicalis|finalis|materialis|prioritis)(?:e|ed|es|er|ers|ing|ation|ations)\b/i,
    'American spelling: -ize',
  ],
  [
    /\b(?:colour|behaviour|honour|favour|neighbour|licence|centre|catalogue|cheque|grey|judgement|artefact|analyse[ds]?|analysing|labell(?:ed|ing)|travell(?:ed|ing)|modell(?:ed|ing)|signall(?:ed|ing)|towards|afterwards|whilst|amongst)s?\b/i,
    'American spelling',
  ],
];
const ADDRESS = /https?:\/\/\S+/g;
const LEFT_OUT =
  /(?:^|\/)(?:CHANGELOG\.md|LICENSE|package-lock\.json|check-voice\.mjs)$|^bench\/results\/|\/fixtures\//;
const TEXTS = /\.(?:md|ts|mts|mjs|js)$/;

/** @returns one line per phrase found. */
export function voiceProblems(file, text) {
  const own = text.replace(/<!-- word list -->[\s\S]*<!-- end of word list -->/, (list) =>
    list.replaceAll(/[^\n]/g, ''),
  );
  return own.split('\n').flatMap((line, index) => {
    const rest = line.replaceAll(ADDRESS, '');
    return PHRASES.flatMap(([pattern, better]) => {
      const found = pattern.exec(rest);
      return found === null ? [] : [`${file}:${index + 1}: "${found[0]}"; write: ${better}`];
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folders = process.argv.slice(2);
  const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...folders], {
    encoding: 'utf8',
  });
  const files = listed.stdout.split('\n').filter((file) => TEXTS.test(file) && !LEFT_OUT.test(file));
  const problems = files
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .flatMap((file) => voiceProblems(file, readFileSync(file, 'utf8')));
  for (const problem of problems) console.error(problem);
  console.log(`${problems.length} phrases of the word list in ${files.length} files.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
