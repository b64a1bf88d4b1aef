import { peakBytes } from '../../lib/peak-memory.mjs';

console.log(peakBytes());
