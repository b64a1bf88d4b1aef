import type { Clock } from '@mcp-fittings/client-core';
import type { HttpClientOptions } from '@mcp-fittings/http-client';
import type { Fetcher } from './protocol/endpoint.js';
import type { ProcessMarks } from './tokens/stored-token.js';

/** Holds the parts of sign-in that differ between Node.js and a page or Worker. */
export interface Platform {
  /** Creates the network of a provider whose options have none. */
  createNetwork(options: HttpClientOptions & { readonly clock: Clock }): Fetcher;
  /** Marks by which the processes that share a store know each other. */
  readonly marks: ProcessMarks;
}
