/** A token helper: prints the content of a file, and counts its runs. */
import { appendFileSync, readFileSync } from 'node:fs';
const [file, log] = process.argv.slice(2);
appendFileSync(log, `${process.env.MCP_SERVER_NAME}\n`);
process.stdout.write(readFileSync(file, 'utf8'));
