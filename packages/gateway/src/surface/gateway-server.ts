import {
  Server,
  isInputRequiredResult,
  type Implementation,
  type JSONRPCRequest,
  type Result,
  type ServerCapabilities,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';

/** What a client is told in the handshake. */
export interface Introduction {
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/** Options of {@link GatewayServer}. */
export interface GatewayServerOptions {
  /** Returns what to tell the client. Called for each handshake. */
  readonly introduce: () => Promise<Introduction>;
  /** Called when the server is connected to a transport. */
  readonly onConnect: () => void;
  /** Called when the connection has ended. */
  readonly onDisconnect: () => void;
}

/** Everything that is ever declared, so that its handlers can be set. A client is told what {@link Introduction} has. */
const ALL: ServerCapabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/**
 * The SDK's server for one client of the gateway. It passes results of tools on as they are, which the SDK would validate and strip,
 * and finds out what the servers offer when a client asks.
 */
export class GatewayServer extends Server {
  readonly #options: GatewayServerOptions;

  constructor(info: Implementation, options: GatewayServerOptions) {
    super(info, { capabilities: ALL });
    this.#options = options;
  }

  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport);
    this.#options.onConnect();
  }

  protected override _onclose(): void {
    try {
      super._onclose();
    } finally {
      this.#options.onDisconnect();
    }
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    // The constructor of the base class calls this too, so that the options are read later.
    if (method === 'initialize' || method === 'server/discover') {
      const wrapped = super._wrapHandler(method, handler);
      return async (request, context) => {
        const { capabilities, instructions } = await this.#options.introduce();
        const result = await wrapped(request, context);
        return { ...result, capabilities, ...(instructions !== undefined && { instructions }) };
      };
    }
    if (method === 'tools/call') return (...given) => this.#unchanged(handler, ...given);
    return super._wrapHandler(method, handler);
  }

  /** Gives the SDK a result that it accepts, and returns the one that the handler returned. */
  async #unchanged(handler: Handler, request: JSONRPCRequest, context: ServerContext): Promise<Result> {
    let given: Result | undefined;
    const wrapped = super._wrapHandler('tools/call', async (each, own) => {
      const result = await handler(each, own);
      given = isInputRequiredResult(result) ? undefined : result;
      return given === undefined ? result : { content: [] };
    });
    const result = await wrapped(request, context);
    return given ?? result;
  }
}

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;
