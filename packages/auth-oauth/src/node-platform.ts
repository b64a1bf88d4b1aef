import { createIdleHttpClient } from '@mcp-fittings/http-client';
import { isMarkOfDeadProcess, makeProcessMark } from '@mcp-fittings/toolbox/files';
import type { TokenProviderOptions } from './options.js';
import type { Platform } from './platform.js';
import { ProviderContext } from './provider/provider-context.js';

/** Sends requests with undici, and finds out whether a process of this machine has exited. */
export const nodePlatform: Platform = {
  createNetwork: (options) => createIdleHttpClient(options, options.clock),
  marks: { make: makeProcessMark, isOfDeadProcess: isMarkOfDeadProcess },
};

/** Creates the context of a provider. Throws for an invalid `url`. */
export function createProviderContext(options: TokenProviderOptions): ProviderContext {
  return new ProviderContext(options, nodePlatform);
}
