import { declareCommand } from '../options/declaration.ts';
import { LIVE_OPTIONS } from './shared.ts';

/** The formats that take nothing behind an equals sign come first. */
export const STATUS_FORMATS = [
  'table',
  'wide',
  'json',
  'yaml',
  'name',
  'custom-columns=',
  'custom-columns-file=',
  'jsonpath=',
  'jsonpath-file=',
] as const;

export const STATUS = declareCommand({
  name: 'status',
  summary: 'Compare expected machines with existing Nodes',
  usage: ['[status] [MACHINE]… [options]', '[status] PATH… [options]'],
  description: [
    'A machine is expected when an EC2 instance carries the tags of the cluster, when a node group or Auto Scaling group wants it, when a NodeClaim requests it, or when --expect lists it. Each row shows the verdict, the rung of the ladder that the machine has reached, and the cause. The last line says what the failures have in common.',
    'With --watch the table follows each change in Kubernetes; AWS is asked every minute, when machines come or go, and with --aws-events when it reports one. When the output is piped, each change is one line, and with -o json one document.',
    '--sort-by and custom columns take the fields of .rows as -o json shows them. A jsonpath template starts at the document.',
  ],
  words: { most: Infinity, completes: ['machine', 'file'] },
  options: {
    output: {
      kind: 'text',
      short: 'o',
      value: 'FORMAT',
      default: 'table',
      suggests: STATUS_FORMATS,
      help: 'Output format: table, wide, json, yaml, name, custom-columns=SPEC, custom-columns-file=FILE, jsonpath=TEMPLATE or jsonpath-file=FILE',
    },
    selector: {
      kind: 'text',
      short: 'l',
      value: 'LABELS',
      help: 'Only machines whose Node or tags match, such as zone=eu-west-1a',
    },
    failed: { kind: 'flag', help: 'Only machines that are not usable' },
    'sort-by': { kind: 'text', value: 'FIELD', help: 'Sort rows by a field, such as .launchedAt' },
    'no-headers': { kind: 'flag', help: 'Omit the header line' },
    watch: { kind: 'flag', short: 'w', help: 'Keep looking and show changes' },
    events: {
      kind: 'flag',
      help: 'Show what happened to each machine last, the latest first; with --record, as recorded',
    },
    record: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      help: 'Take from this recording since when rows stand as they do; with --watch, append what changes to it; see: rollcall help record',
    },
    'aws-events': {
      kind: 'text',
      value: 'URL',
      help: 'With --watch: SQS queue, named …-watch, to which EventBridge sends what EC2, Auto Scaling and AWS Health report; messages that were read are removed',
    },
    expect: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      help: 'File with the names of expected hosts, one a line',
    },
    ...LIVE_OPTIONS,
  },
  examples: [
    { title: 'Every machine of the current cluster', command: 'rollcall' },
    { title: 'Only the failures, with all columns', command: 'rollcall --failed -o wide' },
    {
      title: 'One zone, oldest machines first',
      command: 'rollcall -l topology.kubernetes.io/zone=eu-west-1a --sort-by .launchedAt',
    },
    {
      title: 'Node and cause of each machine',
      command: "rollcall -o 'custom-columns=NODE:.node,WHY:.headline.cause'",
    },
    {
      title: 'What happened to whom last, by a recording too',
      command: 'rollcall status --events --record flight.db',
    },
    {
      title: 'As AWS reports machines, from a queue of its own',
      command:
        'rollcall status --watch --aws-events https://sqs.eu-west-1.amazonaws.com/111122223333/rollcall-watch',
    },
    { title: 'From saved evidence', command: 'rollcall status evidence.tar.gz' },
  ],
  seeAlso: ['diagnose', 'record', 'permissions'],
});
