import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The machine-config server answers, and refuses to hand out a configuration. */
const cause = defineCause({
  id: 'machine-config-refused',
  stage: 'bootstrapped',
  title: 'the machine-config server refuses to serve the machine’s configuration',
  scope: 'group',
  signs: {
    bootstrapRefuses: definite(
      ['machine-config-server', 'ignition', 'journal', 'kubelet'],
      /refusing to serve bootstrap configuration to pool "?(?<pool>[\w-]+)/,
    ),
    poolMissing: definite(
      ['machine-config-server', 'journal', 'kubelet'],
      /could not fetch (?:pool\. err|config (?<config>[\w-]+), err)/,
      { anchors: ['could not fetch pool', 'could not fetch config'] },
    ),
    versionRefused: definite(
      ['machine-config-server', 'journal', 'kubelet'],
      /(?<reason>unsupported Ignition version in Accept header)/,
    ),
    serverError: likely(
      ['ignition', 'console', 'journal'],
      /GET result: (?<reason>Internal Server Error|Bad Request)/,
      { atLeast: 3, enoughOnce: 'alone' },
    ),
    refusedNow: context(
      ['ignition', 'console', 'journal'],
      /GET result: (?<reason>Internal Server Error|Bad Request)/,
    ),
    manyAttempts: context(
      ['ignition', 'console', 'journal'],
      /GET https?:\/\/[^\s"]+:22623\/config\/[\w-]+: attempt #(?:1[2-9]|[2-9]\d|\d{3,})/,
    ),
    answered: withdraws(['ignition', 'console'], /GET result: OK/),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['ignition-cannot-fetch-config'],
  summary: ({ pool, config, reason }) =>
    pool === undefined
      ? `The machine-config server answers new machines with a refusal (${reason ?? (config === undefined ? 'it finds no such pool' : `it has no configuration ${config}`)}), so they stay in Ignition.`
      : `New machines reach the machine-config server of the bootstrap host, which refuses to serve the pool ${pool}; they stay in Ignition.`,
  remedy: ({ pool }) => [
    pool === undefined
      ? step(
          'See whether the pool exists and has a rendered configuration.',
          'oc get machineconfigpools; oc get machineconfigs',
        )
      : step(
          'Take the bootstrap host out of the load balancer of port 22623 once the control plane serves it.',
          'aws elbv2 describe-target-health --target-group-arn <target-group-22623>',
        ),
    step(
      'An Ignition version that is refused: use a boot image of a current release in the MachineSet.',
      'oc -n openshift-machine-api get machinesets -o jsonpath=\'{range .items[*]}{.metadata.name} {.spec.template.spec.providerSpec.value.ami.id}{"\\n"}{end}\'',
    ),
  ],
  decide: step(
    'Read the server’s log.',
    'oc -n openshift-machine-config-operator logs ds/machine-config-server --tail=50',
  ),
  page: {
    why: 'During installation the bootstrap host serves control-plane machines only. When the load balancer still points to it, or the pool a machine asks for is missing, or its Ignition is too old for the configuration’s version, the server answers with an error and Ignition repeats.',
    prevent:
      'Let the installer remove the bootstrap host; keep boot images within the supported range.',
    notThis: 'No answer at all is ignition-cannot-fetch-config.',
    refs: [
      'https://github.com/openshift/machine-config-operator/issues/2562',
      'https://github.com/openshift/machine-config-operator/blob/HEAD/pkg/server/bootstrap_server.go',
    ],
  },
});

export default matched(cause, matchTail);

/** The tail of a long wait shows one or two refusals; the counter beside them says how many there were. */
function matchTail(view: ViewOf<typeof cause>): Match | null {
  const counted = view.sign('manyAttempts');
  const refused = view.sign('refusedNow');
  if (counted === null || refused === null || view.sign('serverError') !== null) return null;
  return found(refused.last.captures, [refused.last, counted.last], 'likely');
}
