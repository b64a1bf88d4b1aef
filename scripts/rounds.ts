/** How often a test repeats itself: CI does all of it; on a desk a quarter shows that something broke. */
export function rounds(all: number): number {
  return process.env['CI'] === 'true' ? all : Math.ceil(all / 4);
}
