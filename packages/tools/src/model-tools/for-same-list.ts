/**
 * Creates a function that computes its result anew only if an element of the list is another object than last time. The tools of a
 * host stay the same objects until their server lists other ones, so that a snapshot per turn costs nothing while nothing changes.
 */
export function forSameList<Item extends object, Result>(
  compute: (list: readonly Item[]) => Result,
): (list: readonly Item[]) => Result {
  let last: { readonly list: readonly Item[]; readonly result: Result } | undefined;
  return (list) => {
    if (last === undefined || !isSame(last.list, list)) {
      // A copy, because the caller may change its array.
      last = { list: [...list], result: compute(list) };
    }
    return last.result;
  };
}

const isSame = (before: readonly object[], after: readonly object[]): boolean =>
  before.length === after.length && before.every((item, index) => item === after[index]);
