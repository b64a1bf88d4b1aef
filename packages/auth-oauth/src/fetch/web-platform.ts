import { createFetchClient } from '@mcp-fittings/http-client/fetch';
import type { Platform } from '../platform.js';

/** Sends requests with the `fetch` of the platform. No page and no Worker learns that another one has ended. */
export const webPlatform: Platform = {
  createNetwork: ({ url, server, clock, logger }) => createFetchClient({ url, server, clock, logger }),
  marks: { make: async () => crypto.randomUUID(), isOfDeadProcess: async () => false },
};
