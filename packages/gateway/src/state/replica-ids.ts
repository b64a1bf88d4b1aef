/** Not in base64url, nor in the name of a replica. */
const REPLICA_END = '~';

/** Returns an id that names the replica that has made it; `own` if there are no others. */
export function idOfReplica(replica: string | undefined, own: string): string {
  return replica === undefined ? own : `${replica}${REPLICA_END}${own}`;
}

/** Returns the replica that has made an id; `undefined` if the id does not name one. */
export function replicaOf(id: unknown): string | undefined {
  if (typeof id !== 'string') return undefined;
  const end = id.indexOf(REPLICA_END);
  return end > 0 ? id.slice(0, end) : undefined;
}

/** Returns an id without its replica. */
export function ownPartOf(id: string): string {
  return id.slice(id.indexOf(REPLICA_END) + 1);
}
