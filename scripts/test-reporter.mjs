/** A reporter of vitest that writes to PASSED_TESTS_FILE the folders of the packages whose tests all passed. */
import { writeFileSync } from 'node:fs';
import { relative, sep } from 'node:path';

export default class PassedPackages {
  onTestRunEnd(modules, unhandledErrors) {
    const failed = new Set();
    const seen = new Set();
    for (const module of modules) {
      const [folder] = relative(process.cwd(), module.moduleId).split(sep).join('/').split('/test/');
      seen.add(folder);
      if (!module.ok()) failed.add(folder);
    }
    // Where an error belongs that no test caught is not known.
    const passed = unhandledErrors.length > 0 ? [] : [...seen].filter((folder) => !failed.has(folder));
    const file = process.env['PASSED_TESTS_FILE'];
    if (file !== undefined) writeFileSync(file, JSON.stringify(passed));
  }
}
