import type { AppCsp } from './app-domains.js';

/**
 * Returns the Content-Security-Policy of an app, on one line. Without origins it is the restrictive default of the specification,
 * with `frame-src`, `object-src`, `base-uri` and `form-action` besides: `default-src` does not cover the last two. `connect-src`
 * never has `'self'`, because that is the origin of the sandbox and not one that the app declared.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx (Host Behavior, Sandbox proxy)
 */
export function contentSecurityPolicy(csp: AppCsp): string {
  const { connectDomains = [], resourceDomains = [], frameDomains = [], baseUriDomains = [] } = csp;
  const directives: readonly (readonly [name: string, ...sources: readonly string[]])[] = [
    ['default-src', "'none'"],
    ['script-src', "'self'", "'unsafe-inline'", ...resourceDomains],
    ['style-src', "'self'", "'unsafe-inline'", ...resourceDomains],
    ['img-src', "'self'", 'data:', ...resourceDomains],
    ['media-src', "'self'", 'data:', ...resourceDomains],
    ...(resourceDomains.length > 0 ? [['font-src', "'self'", ...resourceDomains] as const] : []),
    ['connect-src', ...orElse(connectDomains, "'none'")],
    ['frame-src', ...orElse(frameDomains, "'none'")],
    ['object-src', "'none'"],
    ['base-uri', ...orElse(baseUriDomains, "'self'")],
    ['form-action', "'none'"],
  ];
  return directives.map((directive) => directive.join(' ')).join('; ');
}

const orElse = (sources: readonly string[], otherwise: string): readonly string[] =>
  sources.length > 0 ? sources : [otherwise];
