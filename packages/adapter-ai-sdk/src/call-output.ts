import { toolCallOutput, type ToolCallOutput, type ToolEvent } from '@mcp-fittings/tools';

/**
 * The output of a tool, as the program finds it in `output` of a tool result, and a user interface in the part of the tool. It is
 * JSON. While the call runs, the preliminary results of `streamText` have the status `running`.
 */
export interface AiSdkCallOutput extends Omit<ToolCallOutput, 'status'> {
  /** As for `ToolCallOutput`, or `running`. */
  readonly status: 'running' | ToolCallOutput['status'];
  /** Progress so far, in units that the server chooses. Only while the call runs. */
  readonly progress?: number | undefined;
  /** The value of {@link progress} at the end, if the server knows it. */
  readonly total?: number | undefined;
}

/** Converts the events of a call to outputs, one for each step of its progress. The last one is the result. */
export async function* outputsOf(
  events: AsyncIterable<ToolEvent>,
): AsyncGenerator<AiSdkCallOutput, void, undefined> {
  let text = '';
  let progress: Pick<AiSdkCallOutput, 'progress' | 'total'> = {};
  const running = (): AiSdkCallOutput => {
    const parts = text === '' ? [] : [{ type: 'text' as const, text }];
    return { status: 'running', text, parts, isError: false, ...progress };
  };
  /** Is true if the numbers that belong to the text are still to come. */
  let isWaiting = false;
  for await (const event of events) {
    if (event.type === 'result' || event.type === 'error') {
      yield toolCallOutput(event);
      return;
    }
    if (event.type === 'partial') {
      // Of several steps at once, only the latest numbers are known.
      if (isWaiting) yield running();
      text = event.text;
      isWaiting = true;
    } else {
      progress = { progress: event.progress, ...(event.total !== undefined && { total: event.total }) };
      isWaiting = false;
      yield running();
    }
  }
}
