import { declareCommand, declareOptions } from '../options/declaration.ts';
import { LIVE_OPTIONS } from './shared.ts';

/** How long and how much a recording keeps. */
export const RECORD_LIMITS = declareOptions({
  keep: {
    kind: 'duration',
    value: 'TIME',
    default: '30d',
    help: 'How long rows are kept',
  },
  'max-size': {
    kind: 'number',
    value: 'MIB',
    from: 1,
    to: 1_000_000,
    default: 1024,
    help: 'Size in MiB beyond which the oldest rows are forgotten',
  },
});

export const RECORD = declareCommand({
  name: 'record',
  summary: 'Record what happens to machines, for rollcall timeline',
  usage: [
    'record --record FILE [--for TIME] [--every TIME] [options]',
    'record --record FILE --step-back',
  ],
  description: [
    'Follows the cluster as status --watch does and appends what changes: launches and ends of instances, NodeClaims and Nodes with their UIDs, conditions, taints, reboots, Events, verdicts and their causes. What a machine shows that is about to go is kept too: the object, the findings, the ends of its console and of the logs of its programs.',
    'Rollcall only reads from the cluster. A fact is recorded once, also when the program starts again or several record the same cluster. Times in which nobody looked are recorded as gaps. Secrets are left out. See docs/recorder.md.',
  ],
  words: { most: 0, completes: [] },
  options: {
    record: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      help: 'File to append to, made when it is not there, or a postgres:// URL',
    },
    for: { kind: 'duration', value: 'TIME', help: 'Stop after this time; by default never' },
    every: {
      kind: 'duration',
      value: 'TIME',
      default: '60s',
      help: 'How often AWS is asked when nothing changes; Kubernetes is watched',
    },
    'node-logs': {
      kind: 'flag',
      help: 'Keep the log of the VPC CNI of machines that are about to go, through their kubelets; needs get nodes/proxy, which also allows running commands in pods',
    },
    'step-back': {
      kind: 'flag',
      help: 'Record nothing; bring FILE to the version that the release before opens',
    },
    ...RECORD_LIMITS,
    ...LIVE_OPTIONS,
  },
  exitCodes: { 0: 'the cluster was recorded' },
  examples: [
    { title: 'Until it is interrupted', command: 'rollcall record --record flight.db' },
    {
      title: 'One night, asking AWS every 5 min',
      command: 'rollcall record --record flight.db --for 12h --every 5m',
    },
    {
      title: 'Several clusters in one database',
      command: 'rollcall record --record postgres://rollcall@db.example.com/flight --cluster shop',
    },
    {
      title: 'Before the release before is installed again',
      command: 'rollcall record --record flight.db --step-back',
    },
  ],
  seeAlso: ['timeline', 'status'],
});
