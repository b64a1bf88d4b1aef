/** A second process that adds servers. Arguments: home, project, prefix, count. */
import { createConfigEditor, layouts } from '../../dist/index.js';

const [home, cwd, prefix, count] = process.argv.slice(2);
const editor = createConfigEditor({ layout: layouts.claude, home, cwd, confirm: () => true });
for (let index = 0; index < Number(count); index++) {
  await editor.addServer({ name: `${prefix}${index}`, scope: 'user', entry: { command: 'x' } });
}
