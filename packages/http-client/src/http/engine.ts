import { createDecoder } from './decoder.js';
import { Routes, type RouteOptions } from './routes.js';

/** Holds what requests need besides the client, loaded with the first one: one file when it is published. */
export interface Engine {
  readonly routes: Routes;
  readonly createDecoder: typeof createDecoder;
}

/** Loads undici and the certificates. */
export async function openEngine(options: RouteOptions): Promise<Engine> {
  return { routes: await Routes.open(options), createDecoder };
}
