/**
 * Text from strangers: made safe to show, cut to a length, rid of secrets, matched to known names.
 *
 * @packageDocumentation
 */
export { fromBase64, toBase64 } from './text/base64.js';
export { canonicalJson } from './text/canonical-json.js';
export { decodeComponent } from './text/decode-component.js';
export { decompose } from './text/decompose.js';
export { escapeHtml } from './text/escape-html.js';
export { escapeJson, type EscapedJson, type EscapeJsonOptions } from './text/escape-json.js';
export { escapeText, type EscapeTextOptions } from './text/escape-text.js';
export { hashText } from './text/hash-text.js';
export { matchesWildcard } from './text/matches-wildcard.js';
export { didYouMean, nearestNames } from './text/nearest-names.js';
export { createRedactor, type Redactor } from './text/redact.js';
export { sanitizeText, truncateText, type SanitizeOptions } from './text/sanitize-text.js';
