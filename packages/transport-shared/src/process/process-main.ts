/** The program of the shared process that `sharedStdio()` starts. It receives its options as JSON in its only argument. */
import type { ServeSharedOptions } from './serve-shared.js';
import { runSharedProcess } from './run-shared-process.js';

await runSharedProcess(
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by shared-stdio.ts of the same version
  JSON.parse(process.argv[2] ?? '{}') as Omit<ServeSharedOptions, 'log' | 'logger' | 'clock'>,
);
