/** A server on standard streams: what one chunk asks for is answered in one write. */
import { answerText, warmUp } from './answer.mjs';

const warmCalls = Number(process.argv[2] ?? 0);
if (warmCalls > 0) {
  warmUp(warmCalls);
  process.stdout.write(
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"ready"}}\n',
  );
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  let out = [];
  let length = 0;
  const flush = () => {
    if (out.length > 0) process.stdout.write(out.join(''));
    out = [];
    length = 0;
  };
  for (const line of lines) {
    answerText(line, (text) => {
      out.push(text, '\n');
      length += text.length;
      if (length > 65_536) flush();
    });
  }
  flush();
});
process.stdin.on('end', () => process.exit());
