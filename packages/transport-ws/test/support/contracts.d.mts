import type { TransportSuiteOptions } from '@mcp-fittings/testkit/transport';

/** Both sides under the contract of every transport. */
export function contracts(): TransportSuiteOptions[];
