/** Adds a value to a map, and drops the one that was added least recently when there are more than `max`. Returns the value. */
export function remember<T>(map: Map<string, T>, key: string, value: T, max: number): T {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
  return value;
}
