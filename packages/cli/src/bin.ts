#!/usr/bin/env node
import { answerAtOnce } from './answer-at-once.js';

// Every run loads this file: what it imports statically is published as a part of it, and costs `--version` its time.
if (!answerAtOnce(process.argv.slice(2), process.stdout)) {
  void import('./run-process.js').then(({ runProcess }) => runProcess());
}
