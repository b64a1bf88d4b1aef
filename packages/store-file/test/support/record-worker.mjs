/** Adds its own member to one record, many times: `node record-worker.mjs <path> <name> <times>`. */
import { fileRecords } from '../../dist/index.js';

const [, , path = '', name = '', times = ''] = process.argv;
const store = await fileRecords({ path });
for (let time = 1; time <= Number(times); time++) {
  await store.change('shared', (before = {}) => ({ ...before, [name]: time }));
}
