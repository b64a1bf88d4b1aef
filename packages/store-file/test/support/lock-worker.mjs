// Takes the lock again and again, detects a second holder, and sometimes dies while it holds the lock.
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FileLocks } from '@mcp-fittings/toolbox/stores';

const [directory, chanceOfDeath] = process.argv.slice(2);
const locks = new FileLocks({ directory: join(directory, 'locks') });
const owner = join(directory, 'owner');
for (;;) {
  await locks.run('name', async () => {
    const nonce = randomBytes(8).toString('hex');
    writeFileSync(owner, nonce);
    await setTimeout(Math.random() * 4);
    if (Math.random() < Number(chanceOfDeath)) process.kill(process.pid, 'SIGKILL');
    appendFileSync(join(directory, 'log'), readFileSync(owner, 'utf8') === nonce ? 'alone\n' : 'not alone\n');
  });
}
