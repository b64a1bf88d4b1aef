import { createManualClock } from '@mcp-fittings/testkit/clock';
import { expect, it } from 'vitest';
import { StepUpLimiter } from '../src/provider/step-up-limiter.js';

const refused = expect.objectContaining({ code: 'AUTH_SCOPE_INSUFFICIENT', server: 'docs' });

function limiterAfter(stepUps: number) {
  const clock = createManualClock();
  const limiter = new StepUpLimiter('docs', clock);
  for (let index = 0; index < stepUps; index++) limiter.add();
  return { clock, limiter };
}

it.each([
  ['no sign-in yet', 0, ['new'], true],
  ['one sign-in', 1, ['new'], true],
  ['two sign-ins, the most in ten minutes', 2, ['new'], false],
  ['scopes that were requested', 0, ['old'], false],
  ['one scope of two that was not', 0, ['old', 'new'], true],
  ['an unnamed scope', 0, undefined, true],
  ['an unnamed scope again', 1, undefined, false],
])('another sign-in may help, or not: %s', (_, stepUps, needed, mayHelp) => {
  const { limiter } = limiterAfter(stepUps);
  const check = (): void => limiter.check(needed, ['old']);
  if (mayHelp) check();
  else expect(check).toThrow(refused);
});

it('counts the sign-ins of ten minutes, and none from before a sign-out', async () => {
  const { clock, limiter } = limiterAfter(2);
  await clock.advance(599_999);
  expect(() => limiter.check(['new'], [])).toThrow(refused);
  await clock.advance(1);
  limiter.check(['new'], []);
  limiter.add();
  limiter.add();
  expect(() => limiter.check(['new'], [])).toThrow(refused);
  limiter.clear();
  limiter.check(['new'], []);
});
