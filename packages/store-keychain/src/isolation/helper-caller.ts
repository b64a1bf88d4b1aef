import { startHelper, type Helper, type HelperOptions } from './helper-process.js';
import type { Caller } from './protocol.js';

/** A helper that nobody needs for this long is ended: the next one starts in a tenth of a second. */
const IDLE_MS = 10_000;

/** Carries calls out in a helper process, which is started when it is needed and again after it was killed. */
export function createHelperCaller(options: HelperOptions): Caller {
  const { clock } = options;
  let helper: Helper | undefined;
  let underWay = 0;
  let idle: Disposable | undefined;

  const end = async (): Promise<void> => {
    const ending = helper;
    helper = undefined;
    await ending?.end();
  };

  return {
    async call(call) {
      idle?.[Symbol.dispose]();
      const current = helper?.alive === true ? helper : startHelper(options);
      helper = current;
      underWay++;
      try {
        return await current.call(call);
      } finally {
        underWay--;
        if (underWay === 0 && current.alive)
          idle = clock.schedule(() => void end(), IDLE_MS, { unref: true });
      }
    },
    reconnect: end,
    async [Symbol.asyncDispose]() {
      idle?.[Symbol.dispose]();
      await end();
    },
  };
}
