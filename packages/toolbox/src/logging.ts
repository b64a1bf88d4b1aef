/**
 * Loggers that cannot fail, and the levels of MCP.
 *
 * @packageDocumentation
 */
export { guardLogger } from './logging/guard-logger.js';
export { isLogLevel, LOG_LEVELS, type LogLevel } from './logging/log-levels.js';
