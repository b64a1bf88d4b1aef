/** `Not Found` and the like. Looked up when an error needs it: to import `node:http` takes 20 ms on Node 24. */
export function statusTextOf(status: number): string {
  return process.getBuiltinModule('node:http').STATUS_CODES[status] ?? '';
}
