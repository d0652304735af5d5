import { defineCause } from '../../../diagnosis/cause.ts';

/** The machine-config server answers, and refuses to hand out a configuration. */
export default defineCause({
  id: 'machine-config-refused',
  stage: 'bootstrapped',
  title: 'the machine-config server refuses to serve the machine’s configuration',
  scope: 'group',
  signs: {
    bootstrapRefuses: {
      in: ['machine-config-server', 'ignition', 'journal', 'kubelet'],
      anchors: ['refusing to serve bootstrap configuration'],
      pattern: /refusing to serve bootstrap configuration to pool "?(?<pool>[\w-]+)/,
      weight: 'definite',
    },
    poolMissing: {
      in: ['machine-config-server', 'journal', 'kubelet'],
      anchors: ['could not fetch pool', 'could not fetch config'],
      pattern: /could not fetch (?:pool\. err|config (?<config>[\w-]+), err)/,
      weight: 'definite',
    },
    versionRefused: {
      in: ['machine-config-server', 'journal', 'kubelet'],
      anchors: ['unsupported Ignition version'],
      pattern: /(?<reason>unsupported Ignition version in Accept header)/,
      weight: 'definite',
    },
    serverError: {
      in: ['ignition', 'console', 'journal'],
      anchors: ['GET result: Internal Server Error', 'GET result: Bad Request'],
      pattern: /GET result: (?<reason>Internal Server Error|Bad Request)/,
      weight: 'likely',
      atLeast: 3,
    },
    answered: {
      in: ['ignition', 'console'],
      anchors: ['GET result: OK'],
      pattern: /GET result: OK/,
      weight: 'withdraws',
    },
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
      ? {
          text: 'See whether the pool exists and has a rendered configuration.',
          command: 'oc get machineconfigpools; oc get machineconfigs',
        }
      : {
          text: 'Take the bootstrap host out of the load balancer of port 22623 once the control plane serves it.',
          command: 'aws elbv2 describe-target-health --target-group-arn <target-group-22623>',
        },
    {
      text: 'An Ignition version that is refused: use a boot image of a current release in the MachineSet.',
      command:
        'oc -n openshift-machine-api get machinesets -o jsonpath=\'{range .items[*]}{.metadata.name} {.spec.template.spec.providerSpec.value.ami.id}{"\\n"}{end}\'',
    },
  ],
  decide: {
    text: 'Read the server’s log.',
    command: 'oc -n openshift-machine-config-operator logs ds/machine-config-server --tail=50',
  },
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
