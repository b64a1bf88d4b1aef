import { FittingsError } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { toolCallOutput } from '../../src/calls/tool-call-output.js';
import { renderError, renderForModel } from '../../src/results/render-result.js';

describe('the output of a call', () => {
  it('is the rendering with the structured content of a result', () => {
    const result = {
      content: [{ type: 'text' as const, text: '42' }],
      structuredContent: { sum: 42 },
      isError: false,
    };
    const rendering = renderForModel(result);
    expect(toolCallOutput({ type: 'result', result, rendering, issues: [] })).toEqual({
      ...rendering,
      status: 'succeeded',
      structuredContent: { sum: 42 },
    });
  });

  it('has failed without an error if the tool says so', () => {
    const result = { content: [{ type: 'text' as const, text: 'The disk is full.' }], isError: true };
    const output = toolCallOutput({ type: 'result', result, rendering: renderForModel(result), issues: [] });
    expect(output).toMatchObject({ status: 'failed', isError: true });
    expect(output).not.toHaveProperty('error');
    expect(output).not.toHaveProperty('structuredContent');
  });

  it('says why a call failed, and nothing that is only for people who debug', () => {
    const error = new FittingsError('POLICY_DENIED', 'No.', {
      delivery: 'not-sent',
      cause: new Error('inner'),
      details: { rule: 'denied-tool' },
    });
    const output = toolCallOutput({ type: 'error', error, rendering: renderError(error) });
    expect(output).toMatchObject({ status: 'failed', isError: true });
    expect(output.error).toEqual({ code: 'POLICY_DENIED', delivery: 'not-sent' });
  });
});
