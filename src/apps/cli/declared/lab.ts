import { declareCommand } from '../options/declaration.ts';

const PORT = { kind: 'number', value: 'PORT', from: 0, to: 65_535, default: 0 } as const;

export const LAB = declareCommand({
  name: 'lab',
  summary: 'Play a failure in a simulated cluster that kubectl and aws can talk to',
  usage: ['lab [STORY|FILE.yaml] [options]', 'lab --list'],
  description: [
    'Simulates a cluster and AWS in one process: an API server, its controllers, machines and AWS. The story runs in it, and next to it you see what Rollcall reports. kubectl, aws and rollcall work against it from another terminal.',
    'The servers listen on loopback only and require the token in the folder of --folder.',
  ],
  words: { most: 1, completes: ['story', 'file'] },
  options: {
    list: { kind: 'flag', help: 'List the stories' },
    fast: {
      kind: 'flag',
      help: 'Play to the end at once, without servers; exit code 1 when it does not end as the story says',
    },
    speed: {
      kind: 'number',
      value: 'N',
      from: 0.1,
      to: 1000,
      isFraction: true,
      default: 1,
      help: 'Simulated seconds per second',
    },
    nodes: {
      kind: 'number',
      value: 'N',
      from: 1,
      to: 5000,
      help: 'Machines of the first node group; by default as the story says',
    },
    seed: {
      kind: 'number',
      value: 'N',
      from: 0,
      to: 0xffffffff,
      help: 'Seed of all randomness; by default as the story says',
    },
    port: { ...PORT, help: 'Port of the API server; 0 takes a free one' },
    'aws-port': { ...PORT, help: 'Port of AWS; 0 takes a free one' },
    folder: {
      kind: 'text',
      value: 'FOLDER',
      completes: 'folder',
      help: 'Folder for the kubeconfig and the environment; a new one by default',
    },
  },
  exitCodes: { 0: 'ended, or --fast ended as the story says', 1: '--fast ended otherwise' },
  examples: [
    { title: 'The stories', command: 'rollcall lab --list' },
    {
      title: 'One of them, five times as fast',
      command: 'rollcall lab said-it-was-ready --speed 5',
    },
    { title: 'Your own, larger', command: 'rollcall lab my-story.yaml --nodes 20 --seed 7' },
  ],
  seeAlso: ['sim', 'diagnose'],
});
