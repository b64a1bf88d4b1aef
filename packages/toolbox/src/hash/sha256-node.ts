/** Returns the SHA-256 of bytes. The module is not imported, because most programs that load this one hash nothing. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest();
}
