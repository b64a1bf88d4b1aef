/** The steps of program.mjs that a platform without processes, files and sockets can take. */
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http/fetch';

/** Resolves with a line for each step. */
export async function runSteps(entry) {
  const host = createHost({ name: 'reach', version: '1.0.0', transports: [http()] });
  const lines = [];
  const step = async (name, run) => {
    try {
      await run();
      lines.push(`works ${name}`);
    } catch (error) {
      const { code = '', message = '', cause } = error ?? {};
      lines.push(`fails ${name}: ${code} ${message} ${cause?.message ?? ''}`.replaceAll('\n', ' '));
    }
  };
  await step('http', async () => {
    await host.connect({ server: entry });
    const { state } = host.server('server');
    if (state.status === 'failed') throw state.error;
    const { content } = await host.callTool({ server: 'server', tool: 'echo' }, { message: 'hi' });
    if (content[0].text !== 'Echo: hi') throw new Error(JSON.stringify(content));
  });
  await step('end', () => host.close());
  return lines;
}
