import type { Server } from 'node:http';
export function serveProvider(
  configure: (facts: { readonly origin: string; readonly errors: unknown }) => object,
): Promise<ServedProvider>;
export interface ServedProvider extends AsyncDisposable {
  readonly origin: string;
  /** Requests to the token endpoint, with their grant and the response. */
  readonly tokenRequests: {
    readonly grant: string;
    readonly status: number;
    readonly body: URLSearchParams;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  }[];
  readonly requests: string[];
  /** Answers further requests to a path instead of the server; undefined ends that. */
  fault: { readonly path: string; readonly status: number; readonly body?: string } | undefined;
  /** Changes JSON documents before they are sent, by path. */
  readonly rewrite: Map<string, (document: Record<string, unknown>) => unknown>;
  readonly server: Server;
  /** What tests look up in it. */
  readonly provider: {
    readonly RefreshToken: {
      // oxlint-disable-next-line typescript/no-explicit-any -- oidc-provider has no types of its own
      find(token: unknown): Promise<any>;
    };
  };
  readonly errors: unknown;
}
