/** Random choices that are the same for the same seed. */

/** @typedef {ReturnType<typeof createRandom>} Random */

/** @param {string} seed */
export function createRandom(seed) {
  let state = 0x811c9dc5;
  for (let at = 0; at < seed.length; at++) state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193) >>> 0;
  /** Mulberry32. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  /** A whole number from `min` to `max`. */
  const whole = (min, max) => min + Math.floor(next() * (max - min + 1));
  return {
    whole,
    chance: (share) => next() < share,
    pick: (list) => list[whole(0, list.length - 1)],
    /** At most `count` elements, in their order. */
    some: (list, count) => {
      const rest = [...list];
      while (rest.length > count) rest.splice(whole(0, rest.length - 1), 1);
      return rest;
    },
  };
}
