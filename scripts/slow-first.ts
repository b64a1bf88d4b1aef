import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take ten seconds and more: begun last, each would be waited for alone on a machine that remembers no run. */
const SLOW =
  /(auth-keychain\/test\/contract|store-redis\/test\/(fleet|contract|sign-in)|cli\/test\/(talking|terminal|hostile|configuring|bridge)|auth-oauth\/test\/(single-flight|contract)|transport-http\/test\/(comparison|kit|restart)|transport-stdio\/test\/(kit|traffic)|host\/test\/(real-faults|many-servers)|token-store\/test\/(contract|encryption|file-locks)|transport-inprocess\/test\/contract|testkit\/test|compat\/test|tools\/test\/schema\/differential|auth-keychain\/test\/secret)/;

/** The slow ones first, then as vitest orders them. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own method, which gives back a copy
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
