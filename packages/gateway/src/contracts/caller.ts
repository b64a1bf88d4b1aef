/** Identifies who sends a request to the gateway, and decides what this caller may use. An {@link Access} makes it. */
export interface Caller {
  /**
   * Identifies the caller among all callers of the gateway, such as the issuer and subject of a token. Sessions, calls that wait for
   * an answer, and subscriptions belong to the caller with this id; no one else reaches them.
   */
  readonly id: string;
  /**
   * Human for whom the host acts, as `principal` of its methods. Absent: the host itself, whose connections and credentials all
   * callers without a principal share.
   */
  readonly principal?: string | undefined;
  /**
   * Returns whether the caller may use a server at all, or one item of it: `name` is the original name of a tool or prompt, the URI of
   * a resource, or a URI template. Asked at every list and call; anything but `true`, also a throw, is no.
   * Default: everything.
   */
  readonly allows?:
    ((server: string, name?: string, kind?: 'tool' | 'prompt' | 'resource') => boolean) | undefined;
}

/**
 * Returns the key by which requests of a principal are counted and take turns. A caller without a principal does not share the key of a
 * principal of the same name.
 */
export function principalKey({ id, principal }: Pick<Caller, 'id' | 'principal'>): string {
  return JSON.stringify(principal === undefined ? ['caller', id] : ['principal', principal]);
}

/** A kind of item, which {@link Caller.allows} gets with its name. */
export type ItemKind = NonNullable<Parameters<NonNullable<Caller['allows']>>[2]>;

/** An address of the gateway: all servers, or one of them under its original names. */
export interface Mount {
  /** Name of the server. Absent: all servers. */
  readonly server?: string | undefined;
}
