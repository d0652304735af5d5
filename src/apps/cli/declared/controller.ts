import { CONTROLLER_SETTINGS } from '../../controller/settings.ts';
import { declareCommand } from '../options/declaration.ts';
import { optionsOf } from '../options/of-settings.ts';
import { LIVE_OPTIONS } from './shared.ts';

export const CONTROLLER = declareCommand({
  name: 'controller',
  summary: 'Keep the roll call in the cluster: metrics, reports, and who deleted a Node',
  usage: ['controller [--reports] [--events] [--record FILE] [options]'],
  description: [
    'Follows everything that a look lists, asks AWS every minute and when machines come or go, and judges at each change. Each change of a verdict is one line on standard output; /metrics, /livez and /readyz are served on --listen.',
    'It reports who deleted a Node and why: the cloud controller, Karpenter, the Cluster Autoscaler, a node group, EC2 or a person.',
    'With --reports it keeps one NodeReport object for each machine, with --events it writes Events about Nodes. Of several replicas the one that holds the Lease rollcall-controller writes; it writes nothing else.',
    'A setting is taken from its flag, else from its variable (ROLLCALL_LOG_FORMAT for --log-format), else from the file of --config. A file that is wrong is refused and the old settings are kept. See docs/controller.md.',
  ],
  words: { most: 0, completes: [] },
  options: {
    ...optionsOf(CONTROLLER_SETTINGS),
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
    { title: 'What it would write', command: 'rollcall controller --reports --dry-run' },
  ],
  seeAlso: ['status', 'permissions'],
});
