/** The process of one contender: does a round whenever it is told to. */
import { MEASURES } from './measures.mjs';

process.on('message', async (message) => {
  if (message === 'end') process.exit();
  try {
    const result = await round();
    process.send({ result });
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) });
  }
});
process.on('disconnect', () => process.exit());

const task = JSON.parse(process.argv[2]);
let round;
try {
  round = await MEASURES[task.measure](task);
  process.send({ ready: true });
} catch (error) {
  process.send({ error: String(error?.stack ?? error) });
}
