import { MACHINES, NEW, SINGLE, SPANNING, WORKLOAD, XAA_2025, XAA_2026 } from './auth-scenarios.mjs';

/** The published versions of the tool and their client scenarios; those that span two revisions run in both. */
const both = ['2025-11-25', '2026-07-28'];

const spanning = (scenario) => both.map((wire) => ({ scenario, wire }));
const once = (scenario) => [{ scenario, wire: undefined }];

export const VERSIONS = [
  {
    name: '0.1.16',
    tool: 'conformance-2025',
    scenarios: [
      'initialize',
      'tools_call',
      'elicitation-sep1034-client-defaults',
      'sse-retry',
      ...SPANNING,
      ...SINGLE,
      ...MACHINES,
      ...XAA_2025,
    ].flatMap(once),
  },
  {
    name: '0.2.0-alpha.12',
    tool: 'conformance-2026',
    scenarios: [
      ...[
        'initialize',
        'elicitation-sep1034-client-defaults',
        'sse-retry',
        'request-metadata',
        'sep-2322-client-request-state',
        'http-standard-headers',
        'http-custom-headers',
        'http-invalid-tool-headers',
        'json-schema-ref-no-deref',
        'sep-2640-client-no-prefetch',
        'sep-2640-client-verify-digest',
        'sep-2640-client-verify-size',
        'sep-2640-client-verify-frontmatter',
        ...SINGLE,
        ...MACHINES,
        ...WORKLOAD,
        ...NEW,
        ...XAA_2026,
      ].flatMap(once),
      ...['tools_call', 'json-schema-2020-12-preservation', ...SPANNING].flatMap(spanning),
    ],
  },
];
