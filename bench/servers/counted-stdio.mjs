/** The server of stdio.mjs. It adds a character to a file when it starts, so that a start can be noticed. */
import { appendFileSync } from 'node:fs';

appendFileSync(process.argv[2], '.');
await import('./stdio.mjs');
