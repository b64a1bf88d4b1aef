/** A token helper: prints what the file says, and counts how often it was asked. */
import { appendFileSync, readFileSync } from 'node:fs';
const [file, log] = process.argv.slice(2);
appendFileSync(log, `${process.env.MCP_SERVER_NAME}\n`);
process.stdout.write(readFileSync(file, 'utf8'));
