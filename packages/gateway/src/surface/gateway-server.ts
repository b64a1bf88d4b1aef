import {
  Server,
  isInputRequiredResult,
  type Implementation,
  type JSONRPCRequest,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
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
  /** Longest time that a client may take for an answer, in milliseconds. */
  readonly answerMs: number;
  /** Returns what to tell the client. Called for each handshake. */
  readonly introduce: () => Promise<Introduction>;
  /** Called when the server is connected to a transport. */
  readonly onConnect: () => void;
  /** Called when the connection has ended. */
  readonly onDisconnect: () => void;
  /** Called when a request has ended whose result may require input first. */
  readonly onRequestEnd: (signal: AbortSignal) => void;
}

/** Everything that is ever declared, so that its handlers can be set. A client is told what {@link Introduction} has. */
const ALL: ServerCapabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

const acceptAnything: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing here reads it
    return (input: unknown) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/** Questions that a call may ask one after the other. */
const MAX_ROUNDS = 100;
const INPUT_METHODS: ReadonlySet<string> = new Set(['prompts/get', 'resources/read']);

/**
 * The SDK's server for one client of the gateway. It passes results of tools on as they are, which the SDK would validate and strip,
 * and finds out what the servers offer when a client asks.
 */
export class GatewayServer extends Server {
  readonly #options: GatewayServerOptions;

  constructor(info: Implementation, options: GatewayServerOptions) {
    super(info, {
      capabilities: ALL,
      inputRequired: { maxRounds: MAX_ROUNDS, roundTimeoutMs: options.answerMs },
      // Answers of the client are for the server that asked, and the host validates them.
      jsonSchemaValidator: acceptAnything,
    });
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
    if (method === 'tools/call') return this.#untilEnd((...given) => this.#unchanged(handler, ...given));
    const wrapped = super._wrapHandler(method, handler);
    return INPUT_METHODS.has(method) ? this.#untilEnd(wrapped) : wrapped;
  }

  #untilEnd(handler: Handler): Handler {
    return async (request, context) => {
      try {
        return await handler(request, context);
      } finally {
        this.#options.onRequestEnd(context.mcpReq.signal);
      }
    };
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
