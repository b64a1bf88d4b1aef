import type {
  AuthProvider,
  AuthRequiredError,
  Clock,
  HostCache,
  Logger,
  ServerConfig,
  TransportPlugin,
} from '@mcp-fittings/client-core';
import type { Call } from '../calls/caller.js';
import type { Lists } from '../catalogue/server-catalogue.js';
import type { Semaphore } from '../connection/semaphore.js';
import type { ServerSettings } from '../connection/settings.js';
import type { Supervisor } from '../connection/supervisor.js';
import type { ListKind, Offered } from '../contracts/catalogue.js';
import type { Engine, ListBudget } from '../contracts/engine.js';
import type { HostEvents, HostLimits } from '../contracts/host.js';
import type { HostCallbacks, LogLevel } from '../contracts/server-requests.js';
import type { ServerSnapshot } from '../contracts/state.js';
import type { Tracer } from '../observability/channels.js';
import type { Emitter } from '../observability/events.js';
import type { SignIn } from './sign-in.js';

/** What one server of a host is made of. */
export interface ServerParts {
  readonly server: string;
  readonly config: ServerConfig;
  readonly settings: ServerSettings;
  /** Finds what serves the entry; throws a `FittingsError` where nothing does. */
  readonly resolve: () => { readonly plugin: TransportPlugin; readonly auth: AuthProvider | undefined };
  readonly engine: Engine;
  readonly callbacks: HostCallbacks;
  readonly clock: Clock;
  readonly random: (() => number) | undefined;
  readonly logger: Logger | undefined;
  readonly limits: HostLimits;
  readonly cache: HostCache | undefined;
  readonly person: string | undefined;
  readonly scope: () => string | undefined;
  readonly turns: Semaphore;
  readonly listBudget: ListBudget;
  readonly tracer: Tracer;
  readonly traceContext: () => Readonly<Record<string, unknown>> | undefined;
  readonly emitter: Emitter<HostEvents>;
}

/** One server of a host: its connection, its lists, its calls. */
export interface ServerConnection extends Pick<
  Supervisor,
  'disable' | 'dispose' | 'enable' | 'firstOutcome' | 'start' | 'stop'
> {
  readonly config: ServerConfig;
  readonly settings: ServerSettings;
  readonly signIn: SignIn;
  /** What the server wants before it lets us in; undefined while it does. */
  readonly demanded: AuthRequiredError | undefined;
  snapshot(): ServerSnapshot;
  /** What of a list can be used now or at the next use; reads again, in the background, what has aged. */
  offered<Kind extends ListKind>(kind: Kind): readonly Offered<Lists[Kind][number]>[];
  /** What the server lists; reads again, in the background, what has aged. */
  lists(): Readonly<Lists>;
  /** Forgets what was for who was signed in: the lists, and what the server said of itself. */
  forget(): void;
  /** Forgets what the server said of itself, as somebody else may be signed in now. */
  forgetEra(): void;
  /** Lists that an earlier run remembered; for a server that is not connected. */
  recall(): Promise<void>;
  call<T>(
    call: Omit<Call<T>, 'method' | 'target'>,
    about: { readonly method: string; readonly target?: string | undefined },
  ): Promise<T>;
  subscribe(uri: string, call: Call<void>['options']): Promise<void>;
  unsubscribe(uri: string, call: Call<void>['options']): Promise<void>;
  setLogLevel(level: LogLevel, call: Call<void>['options']): Promise<void>;
  rootsChanged(): Promise<void>;
}
