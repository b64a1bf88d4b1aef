import { openHost, type OpenedHost, type OpenHostOptions } from '@mcp-fittings/preset';

/** Reads configuration files, asks for approval, connects the servers and signs in to them. */
export async function openAgent(options: Partial<OpenHostOptions>): Promise<OpenedHost> {
  const app = await openHost({ name: 'my-agent', version: '1.0.0', layout: 'claude', ...options });
  for (const { text } of app.problems) console.error(text); // file, line, what is wrong, what to do
  return app;
}
