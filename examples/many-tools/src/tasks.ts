/** What a person asks, and what a model would do about it. */
export interface Task {
  readonly ask: string;
  /** What the model searches for if no tool that it was given fits. */
  readonly query: string;
  /** By what it recognizes a tool that fits, in its name. */
  readonly fits: RegExp;
  readonly args: object;
  /** What the answer must contain. */
  readonly expected: RegExp;
}

/** One conversation. The second question about a file needs no second search. */
export function tasksIn(folder: string): readonly Task[] {
  const readFile = { query: 'read a text file', fits: /read_text_file/ };
  return [
    {
      ask: 'What does note.txt say?',
      ...readFile,
      args: { path: `${folder}/note.txt` },
      expected: /remember the milk/,
    },
    {
      ask: 'And plan.txt?',
      ...readFile,
      args: { path: `${folder}/plan.txt` },
      expected: /paint the fence/,
    },
    {
      ask: 'What are 1289 and 377 together?',
      query: 'sum of two numbers',
      fits: /get-sum/,
      args: { a: 1289, b: 377 },
      expected: /1666/,
    },
    {
      ask: 'What do you know about Tom?',
      query: 'search the knowledge graph',
      fits: /memory__search_nodes/,
      args: { query: 'Tom' },
      expected: /allergic to peanuts/,
    },
    {
      ask: 'What have I changed in my repository?',
      query: 'git status of the working tree',
      fits: /git_status/,
      args: { path: folder },
      expected: /plan\.txt/,
    },
  ];
}
