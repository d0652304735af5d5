import { CONTROLLER_SETTINGS } from '../../controller/settings.ts';
import { declareCommand } from '../options/declaration.ts';
import { optionsOf } from '../options/of-settings.ts';
import { LIVE_OPTIONS } from './shared.ts';

export const CONTROLLER = declareCommand({
  name: 'controller',
  summary: 'Keep the roll call in the cluster: metrics, reports, and who deleted a Node',
  usage: [
    'controller [--reports] [--events] [--record FILE] [options]',
    'controller --only gate [options]',
  ],
  description: [
    'Follows everything that a look lists, asks AWS every minute and when machines come or go, and judges at each change. Each change of a verdict is one line on standard output; /metrics, /livez and /readyz are served on --listen.',
    'It reports who deleted a Node and why: the cloud controller, Karpenter, the Cluster Autoscaler, a node group, EC2 or a person.',
    'With --reports it keeps one NodeReport object for each machine, with --events it writes Events about Nodes. Of several replicas the one that holds the Lease rollcall-controller writes; it writes nothing else.',
    'With --aws-events it also receives what EC2, Auto Scaling and AWS Health report, asks AWS at once, and knows which spot machine EC2 took back.',
    'With --eni-janitor report it names network interfaces that the VPC CNI left behind; with --eni-janitor delete it deletes those of this cluster for which everything proves it, few an hour.',
    'With --auth report it reports where aws-auth lost the mapping of a node role, and who wrote it last; with --auth restore it puts back what it saw there before, where machines of the role are shut out, few an hour.',
    'With --only gate it keeps gates and nothing else: a node keeps the startup taint of each NodeGate that selects it until every proof has held for the dwell. It asks nothing of AWS. Of several replicas the one that holds the Lease rollcall-gate writes. See docs/gate.md, and docs/gate-compatibility.md for configuration of nidhogg and the Node Readiness Controller.',
    'A setting is taken from its flag, else from its variable (ROLLCALL_LOG_FORMAT for --log-format), else from the file of --config. A file that is wrong is refused and the old settings are kept. See docs/controller.md.',
  ],
  words: { most: 0, completes: [] },
  options: {
    ...optionsOf(CONTROLLER_SETTINGS),
    only: {
      kind: 'choice',
      value: 'PART',
      noun: 'part',
      values: ['gate'],
      help: 'Run this part alone: gate keeps nodes tainted until they are proven',
    },
    'nidhogg-config': {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      help: 'With --only gate: also keep the taints of this configuration file of nidhogg, as it is',
    },
    'node-readiness-rules': {
      kind: 'flag',
      help: 'With --only gate: also follow NodeReadinessRules, while their Lease is free',
    },
    'rules-namespace': {
      kind: 'text',
      value: 'NAMESPACE',
      default: 'nrr-system',
      help: 'Namespace of the Lease of the Node Readiness Controller',
    },
    config: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      help: 'YAML or JSON with any of these settings, read again when it changes and on SIGHUP',
    },
    ...LIVE_OPTIONS,
  },
  exitCodes: { 0: 'it was ended by a signal' },
  examples: [
    { title: 'Look at it from a laptop', command: 'rollcall controller' },
    {
      title: 'In the cluster',
      command: 'rollcall controller --reports --listen 0.0.0.0:8470',
    },
    { title: 'Settings from a file', command: 'rollcall controller --config rollcall.yaml' },
    { title: 'Gates alone', command: 'rollcall controller --only gate --listen 0.0.0.0:8470' },
    {
      title: 'Report leaked network interfaces',
      command: 'rollcall controller --eni-janitor report --cluster shop',
    },
    {
      title: 'Hear of machines at once',
      command:
        'rollcall controller --aws-events https://sqs.eu-west-1.amazonaws.com/111122223333/rollcall',
    },
    {
      title: 'Report lost mappings of node roles',
      command: 'rollcall controller --auth report --events',
    },
    { title: 'What it would write', command: 'rollcall controller --reports --dry-run' },
  ],
  seeAlso: ['status', 'permissions'],
});
