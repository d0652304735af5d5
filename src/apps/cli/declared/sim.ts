import { declareCommand } from '../options/declaration.ts';

export const SIM = declareCommand({
  name: 'sim',
  summary: 'Test Rollcall in simulated clusters under faults, over many seeds',
  usage: ['sim [options]'],
  description: [
    'Builds a simulated cluster and AWS from a seed, injects faults, waits until they end, and looks at it as a user would: through the APIs and through a pile of files with gaps. It compares what Rollcall says with what is true. A failure is reduced to the fewest faults, machines and hours that show it, and printed with the command that repeats it. It needs no network. See docs/simulation.md.',
  ],
  words: { most: 0, completes: [] },
  options: {
    seed: {
      kind: 'number',
      value: 'N',
      from: 0,
      to: 0xffffffff,
      default: 1,
      help: 'First seed',
    },
    count: {
      kind: 'number',
      value: 'N',
      from: 1,
      to: 1_000_000,
      help: 'Number of seeds (default 1, or no limit with --until-failure)',
    },
    nodes: {
      kind: 'number',
      value: 'N',
      from: 1,
      to: 5000,
      help: 'Machines; by default as the seed draws',
    },
    hours: {
      kind: 'number',
      value: 'N',
      from: 0.01,
      to: 720,
      isFraction: true,
      default: 1,
      help: 'Simulated hours',
    },
    faults: {
      kind: 'text',
      value: 'LIST',
      default: 'all',
      suggests: ['all', 'none'],
      help: 'Fault classes (F51), single faults (F51.2), all or none',
    },
    'until-failure': { kind: 'flag', help: 'Continue until a seed fails' },
    twin: {
      kind: 'flag',
      help: 'Run each seed again without its faults and compare how they end',
    },
    planted: {
      kind: 'text',
      value: 'BUG',
      help: 'Put a known mistake into Rollcall, which must be caught',
    },
    save: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      help: 'Write what could be seen at the first failure to a file for rollcall diagnose',
    },
    output: {
      kind: 'choice',
      short: 'o',
      value: 'FORMAT',
      noun: 'format',
      values: ['text', 'json', 'markdown'],
      default: 'text',
      help: 'Output format',
    },
  },
  exitCodes: { 0: 'everything held', 1: 'something did not hold' },
  examples: [
    { title: 'One seed', command: 'rollcall sim --seed 7 --hours 2' },
    {
      title: 'A report over a hundred',
      command: 'rollcall sim --count 100 --nodes 5 -o markdown',
    },
    {
      title: 'Search for a failure and keep its evidence',
      command: 'rollcall sim --until-failure --save found.tar.gz',
    },
    {
      title: 'See a planted mistake caught',
      command: 'rollcall sim --planted P40 --nodes 6 --hours 0.5 --until-failure',
    },
  ],
  seeAlso: ['lab'],
});
