import { checkRecord, checkRef } from '../check-arguments.js';
import type { CallOptions, Host } from '../contracts/host.js';
import type { InterceptedOperations, InterceptedRequest } from '../contracts/interceptor.js';
import type { RunInterceptors, Unsigned } from './run-interceptors.js';

/** Methods of a host that are intercepted. */
export type InterceptedMethod =
  | 'callTool'
  | 'getPrompt'
  | 'readResource'
  | 'complete'
  | 'request'
  | 'notify'
  | 'subscribe'
  | 'unsubscribe'
  | 'setLogLevel';

export interface InterceptHostDeps {
  /** Returns the longest time without a response of a call, in milliseconds. */
  readonly timeoutOf: (server: string, method: string, options: CallOptions) => number;
}

/** Returns the methods of a host that send something for a caller, each run through the interceptors. */
export function interceptHost(
  host: Host,
  run: RunInterceptors,
  { timeoutOf }: InterceptHostDeps,
): Pick<Host, InterceptedMethod> {
  const call = <Name extends InterceptedMethod>(
    method: string,
    request: Unsigned<Name>,
    operate: (request: InterceptedRequest<Name>) => Promise<InterceptedOperations[Name]['result']>,
  ): Promise<InterceptedOperations[Name]['result']> => {
    const { server, options } = request;
    return run<Name>(
      request,
      { timeoutMs: timeoutOf(server, method, options), signal: options.signal },
      operate,
    );
  };

  return {
    async callTool(ref, args = {}, options = {}) {
      checkRef('callTool', ref, ['server', 'tool']);
      checkRecord('callTool', 'second argument', args);
      const { server, tool } = ref;
      const request = { operation: 'callTool', server, tool, args, options } as const;
      return call<'callTool'>('tools/call', request, (changed) =>
        host.callTool({ server, tool: changed.tool }, changed.args, changed.options),
      );
    },
    async getPrompt(ref, args = {}, options = {}) {
      checkRef('getPrompt', ref, ['server', 'prompt']);
      checkRecord('getPrompt', 'second argument', args);
      const { server, prompt } = ref;
      const request = { operation: 'getPrompt', server, prompt, args, options } as const;
      return call<'getPrompt'>('prompts/get', request, (changed) =>
        host.getPrompt({ server, prompt: changed.prompt }, changed.args, changed.options),
      );
    },
    async readResource(ref, options = {}) {
      checkRef('readResource', ref, ['server', 'uri']);
      const { server, uri } = ref;
      const request = { operation: 'readResource', server, uri, options } as const;
      return call<'readResource'>('resources/read', request, (changed) =>
        host.readResource({ server, uri: changed.uri }, changed.options),
      );
    },
    async complete(ref, options = {}) {
      checkRef('complete', ref, ['server']);
      checkRef('complete', ref.argument, ['name', 'value']);
      const { server, ...params } = ref;
      const request = { operation: 'complete', server, params, options } as const;
      return call<'complete'>('completion/complete', request, (changed) =>
        host.complete({ ...changed.params, server }, changed.options),
      );
    },
    async request(ref, params = {}, options = {}) {
      checkRef('request', ref, ['server', 'method']);
      checkRecord('request', 'second argument', params);
      const { server, method } = ref;
      const request = { operation: 'request', server, method, params, options } as const;
      return call<'request'>(method, request, (changed) =>
        host.request({ server, method: changed.method }, changed.params, changed.options),
      );
    },
    async notify(server, method, params = {}, options = {}) {
      const request = { operation: 'notify', server, method, params, options } as const;
      await call<'notify'>(method, request, async (changed) => {
        await host.notify(server, changed.method, changed.params, changed.options);
        return undefined;
      });
    },
    async subscribe(ref, options = {}) {
      checkRef('subscribe', ref, ['server', 'uri']);
      const { server, uri } = ref;
      const request = { operation: 'subscribe', server, uri, options } as const;
      await call<'subscribe'>('resources/subscribe', request, async (changed) => {
        await host.subscribe({ server, uri: changed.uri }, changed.options);
        return undefined;
      });
    },
    async unsubscribe(ref, options = {}) {
      checkRef('unsubscribe', ref, ['server', 'uri']);
      const { server, uri } = ref;
      const request = { operation: 'unsubscribe', server, uri, options } as const;
      await call<'unsubscribe'>('resources/unsubscribe', request, async (changed) => {
        await host.unsubscribe({ server, uri: changed.uri }, changed.options);
        return undefined;
      });
    },
    async setLogLevel(server, level, options = {}) {
      const request = { operation: 'setLogLevel', server, level, options } as const;
      await call<'setLogLevel'>('logging/setLevel', request, async (changed) => {
        await host.setLogLevel(server, changed.level, changed.options);
        return undefined;
      });
    },
  };
}
