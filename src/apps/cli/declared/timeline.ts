import { declareCommand } from '../options/declaration.ts';

export const TIMELINE = declareCommand({
  name: 'timeline',
  summary: 'Show what happened to a machine, from a flight recording',
  usage: [
    'timeline NODE|INSTANCE --record FILE [options]',
    'timeline --all|--deleted --record FILE [options]',
  ],
  description: [
    'Prints what rollcall record kept of one machine, from its launch to its end, one line each: EC2, NodeClaim, Node, Events, verdicts, and the gaps in which nobody looked. An instance brings the Nodes that it was, also under other names; a name brings every machine that bore it. A repeated Event is one line with its count.',
    'Kubernetes forgets Events after an hour and EC2 forgets terminated instances; the recording keeps them.',
  ],
  words: { most: 1, completes: ['machine'] },
  options: {
    record: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      help: 'File of rollcall record, or a postgres:// URL',
    },
    all: { kind: 'flag', help: 'Everything that was recorded of the cluster' },
    deleted: {
      kind: 'flag',
      help: 'List Nodes and instances that are gone, with their last verdict and last words',
    },
    since: {
      kind: 'text',
      value: 'TIME',
      help: 'Only from this time on, such as 2h, 7d or 2026-05-01T10:00:00Z',
    },
    at: {
      kind: 'text',
      value: 'TIME',
      help: 'Only up to this time, and the verdict that held then',
    },
    cluster: {
      kind: 'text',
      value: 'NAME',
      help: 'Name of the cluster, where the record holds several',
    },
    output: {
      kind: 'choice',
      short: 'o',
      value: 'FORMAT',
      noun: 'format',
      values: ['text', 'json', 'html'],
      default: 'text',
      help: 'Output format; html is one file that needs nothing else',
    },
  },
  exitCodes: { 0: 'something was recorded', 2: 'nothing was recorded of it' },
  examples: [
    {
      title: 'One machine, whatever it was called',
      command: 'rollcall timeline i-0abc1234def567890 --record flight.db',
    },
    {
      title: 'Nodes that went since yesterday, and why',
      command: 'rollcall timeline --deleted --since 1d --record flight.db',
    },
    {
      title: 'The verdicts of last night',
      command: 'rollcall timeline --all --at 2026-05-01T03:00:00Z --record flight.db',
    },
    {
      title: 'A page for a colleague',
      command: 'rollcall timeline node00.example.com --record flight.db -o html > node00.html',
    },
  ],
  seeAlso: ['record', 'status', 'diagnose'],
});
