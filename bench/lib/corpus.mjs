/** The tools of real servers that test/corpus/gather.mjs writes. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const CORPUS = fileURLToPath(new URL('../../test/corpus/tools.json', import.meta.url));

export const hasCorpus = existsSync(CORPUS);
