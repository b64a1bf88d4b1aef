/** How often a test repeats itself: the nightly run does all of it, a push a third, and at a desk a quarter shows that something broke. */
export function rounds(all: number): number {
  const { NIGHTLY, CI } = process.env;
  return NIGHTLY === '1' ? all : Math.ceil(all / (CI === 'true' ? 3 : 4));
}
