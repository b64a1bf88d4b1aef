/** The `auth/` scenarios of the tool, by what the client does in them and by the versions and revisions that have them. */
const named = (...names) => names.map((name) => `auth/${name}`);

/** In both versions; they span two revisions, and run in both where the tool speaks both. */
export const SPANNING = named(
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
);
/** In both versions, in one revision. */
export const SINGLE = named(
  '2025-03-26-oauth-metadata-backcompat',
  '2025-03-26-oauth-endpoint-fallback',
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
);
/** In the second version only. */
export const NEW = named(
  'dpop',
  'dpop-nonce',
  'authorization-server-migration',
  'iss-supported',
  'iss-not-advertised',
  'iss-supported-missing',
  'iss-wrong-issuer',
  'iss-unexpected',
  'iss-normalized',
  'metadata-issuer-mismatch',
);
/** Without a person, in both versions. */
export const MACHINES = named('client-credentials-jwt', 'client-credentials-basic');
/** Without a person, with the JWT of a workload, in the second version. */
export const WORKLOAD = named('wif-jwt-bearer');
/** One sign-in at the identity provider; each version has its own name for it. */
export const XAA_2025 = named('cross-app-access-complete-flow');
export const XAA_2026 = named('enterprise-managed-authorization');
