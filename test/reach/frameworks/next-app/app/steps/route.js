export const dynamic = 'force-dynamic';

export async function GET() {
  await import('../../program.mjs');
  return new Response();
}
