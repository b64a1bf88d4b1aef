import {
  toolFailure,
  type LastToolEvent,
  type Rendering,
  type ToolEvent,
  type ToolFailure,
} from '@mcp-fittings/tools';

/** Which call of the AI SDK an output belongs to. */
export interface AiSdkCall {
  /** Id that the model gave the call. */
  readonly toolCallId: string;
  /** Name by which the model called the tool. */
  readonly toolName: string;
}

/**
 * The output of a tool, as the program finds it in `output` of a tool result, and a user interface in the part of the tool. It is
 * JSON. While the call runs, the preliminary results of `streamText` have the status `running`.
 */
export interface AiSdkCallOutput extends Rendering {
  /** `failed`: the call failed or was not made ({@link error} says why), or the tool itself says that it failed. */
  readonly status: 'running' | 'succeeded' | 'failed';
  /** Progress so far, in units that the server chooses. Only while the call runs. */
  readonly progress?: number | undefined;
  /** The value of {@link progress} at the end, if the server knows it. */
  readonly total?: number | undefined;
  /** The structured content of the result, as the server sent it. */
  readonly structuredContent?: unknown;
  /** Why the call failed. Absent if the tool ran and says that it failed. */
  readonly error?: ToolFailure | undefined;
}

/** Converts the events of a call to outputs. The last one is the result. */
export async function* outputsOf(
  events: AsyncIterable<ToolEvent>,
): AsyncGenerator<AiSdkCallOutput, void, undefined> {
  let text = '';
  let progress: Pick<AiSdkCallOutput, 'progress' | 'total'> = {};
  for await (const event of events) {
    if (event.type === 'result' || event.type === 'error') {
      yield finalOutput(event);
      return;
    }
    if (event.type === 'partial') text = event.text;
    else progress = { progress: event.progress, ...(event.total !== undefined && { total: event.total }) };
    const parts = text === '' ? [] : [{ type: 'text' as const, text }];
    yield { status: 'running', text, parts, isError: false, ...progress };
  }
}

function finalOutput(event: LastToolEvent): AiSdkCallOutput {
  const status = event.rendering.isError ? 'failed' : 'succeeded';
  if (event.type === 'result') {
    const { structuredContent } = event.result;
    return { ...event.rendering, status, ...(structuredContent !== undefined && { structuredContent }) };
  }
  return { ...event.rendering, status, error: toolFailure(event.error) };
}
