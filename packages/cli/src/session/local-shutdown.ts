/**
 * How local servers are ended. The user waits for the prompt, so a server that ignores the end of stdin gets SIGTERM sooner than in a
 * host.
 */
export const LOCAL_SHUTDOWN = { afterStdinEndMs: 500 };
