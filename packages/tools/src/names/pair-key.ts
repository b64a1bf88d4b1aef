/** Returns a text for each pair of texts. The length keeps (a, bc) and (ab, c) apart. */
export const pairKey = (first: string, second: string): string => `${first.length} ${first}${second}`;
