// Answers each request with its params; messages have Content-Length headers, and there is noise between them.
let kept = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  kept = Buffer.concat([kept, chunk]);
  for (;;) {
    const end = kept.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(kept.subarray(0, end).toString())[1]);
    const from = end + 4;
    if (kept.length < from + length) return;
    const { id, params } = JSON.parse(kept.subarray(from, from + length).toString());
    kept = kept.subarray(from + length);
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result: params });
    process.stdout.write(`a log line\nContent-Length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`);
  }
});
