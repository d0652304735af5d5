import { clear, defineCause, found, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import { userDataStep } from '../../../domain/planned/remedies.ts';
import { foreseenByKubeadm } from '../../../diagnosis/foreseen-kubeadm.ts';
import type { KubeadmGiven } from '../../../evidence/kubeadm.ts';
import { DROPPED, DROPPED_GATES, NO_PROVIDER_SINCE } from '../../../domain/nodes/dropped-flags.ts';

/** The kubelet exits at once because it does not accept what it is told. */
const judged = defineCause({
  id: 'rejected-kubelet-flag-or-config',
  stage: 'bootstrapped',
  title: 'the kubelet refuses a flag or its configuration file',
  scope: 'machine',
  signs: {
    flagRefused: definite(
      ['kubelet'],
      /failed to parse kubelet flags?: (?:unknown flag: )?(?<flag>--[\w-]+)?(?<reason>[^"]{0,160})/,
    ),
    flagUnknown: definite(['kubelet'], /unknown flag: (?<flag>--[\w-]+)/, {
      anchors: ['unknown flag: --'],
      strict: true,
    }),
    flagUnknownToOldKubelet: definite(
      ['kubelet'],
      /\bserver\.go:\d{1,4}\] unknown flag: (?<flag>--[\w-]+)/,
    ),
    invalidConfig: definite(
      ['kubelet'],
      /[Ff]ailed to validate kubelet (?:configuration|flags)(?:, error: |: |" err=")(?!unknown 'kubernetes|kubelet is configured to not run on a host using cgroup)(?<reason>[^"]{0,200})/,
    ),
    unreadableConfig: definite(
      ['kubelet'],
      /[Ff]ailed to load [Kk]ubelet config file(?!.*no such file or directory).*?(?<reason>(?:strict decoding error|unknown field|cannot unmarshal|error unmarshal\w*|yaml:|json:|failed to decode|no kind|was empty)[^"\n]{0,160}(?:"[\w.-]+")?)/,
    ),
    featureGate: definite(
      ['kubelet'],
      /(?:failed to set feature gates[^:]*: |\bserver\.go:\d+\] (?=unrecognized feature gate)|KubeletConfiguration while setting defaults, error: \[?(?=(?:unrecognized|cannot set) feature gate))(?<reason>[^"]{0,160})/,
      {
        anchors: [
          'failed to set feature gates',
          'unrecognized feature gate',
          'cannot set feature gate',
        ],
      },
    ),
    dropInRefused: definite(
      ['kubelet'],
      /(?<reason>failed to (?:load kubelet dropin file|load drop-in kubelet config file|walk through kubelet dropin directory|merge kubelet configs)[^"\\]{0,200})/,
      {
        anchors: [
          'failed to load kubelet dropin file',
          'failed to load drop-in kubelet config file',
          'failed to walk through kubelet dropin directory',
          'failed to merge kubelet configs',
        ],
      },
    ),
    authorizationMode: definite(
      ['kubelet'],
      /(?:"command failed" err="|failed to run Kubelet: )(?<reason>no authorization mode specified|unknown authorization mode [\w-]*|invalid node labels: [^"]{0,120})/,
      {
        anchors: [
          'no authorization mode specified',
          'unknown authorization mode',
          'invalid node labels',
        ],
      },
    ),
    managerRefused: definite(
      ['kubelet'],
      /(?<reason>\[cpumanager\] (?:the static policy requires|unable to determine reserved CPU resources)[^"]{0,120}|\[memorymanager\] you should specify the system reserved memory|cgroups-per-qos was specified and cgroup-root was not)/,
      {
        anchors: [
          '[cpumanager] the static policy requires',
          '[cpumanager] unable to determine reserved CPU resources',
          '[memorymanager] you should specify the system reserved memory',
          'cgroups-per-qos was specified and cgroup-root was not',
        ],
      },
    ),
    reservedCgroup: definite(
      ['kubelet', 'event'],
      /(?<reason>Failed to enforce (?:System|Kube) Reserved (?:Compressible )?Cgroup Limits on [^:\n]{0,80})/,
      { anchors: ['Failed to enforce System Reserved', 'Failed to enforce Kube Reserved'] },
    ),
    // Checked only once the kubelet has asked for its client and its machine.
    valueRefused: definite(
      ['kubelet'],
      /failed to run Kubelet: (?:failed to create kubelet: )?(?<reason>(?:(?:eviction (?:percentage )?(?:threshold|minimum reclaim)|unsupported eviction signal|negative eviction|invalid eviction|grace period must be specified for the soft eviction|unknown (?:policy|scope|configmap and secret manager mode):|--[\w-]+ value failed to parse:|unable to parse reserved-cpus|reserved-cpus:|topology manager policy options|bad --node-ip|invalid node labels:|could not configure tracer provider|error configuring root directory:|kubelet needs to run as uid|unsupported on machines with more than \d+ NUMA|the total amount) ?|cloud provider \\?"[\w-]+\\?" was specified, but built-in)[^"\\]{0,160})/,
    ),
    providerUnknown: definite(
      ['kubelet'],
      /failed to run Kubelet: (?<reason>unknown cloud provider \\?"?[\w-]+)/,
    ),
    // Refused at a flag, kubelets print their usage into the journal; --help is for people.
    usagePrinted: likely(
      ['kubelet', 'journal'],
      /\b(?:kubelet|hyperkube)\[\d{1,8}\]: {1,4}kubelet \[flags\]\s*$/,
    ),
    serviceNotStarted: context(
      ['kubeadm', 'cloud-init', 'event'],
      /couldn't start service kubelet: exit status|\bKubeletFailed\b/,
      { anchors: ['start service kubelet: exit status', 'KubeletFailed'] },
    ),
  },
  needs: [],
  symptoms: [],
  summary: ({ machine, flag, reason }) =>
    `The kubelet of ${machine ?? 'the machine'} refuses ${flag === undefined ? `its configuration${reason === undefined || reason.trim() === '' ? '' : ` (${reason.trim()})`}` : `the flag ${flag}`} and exits at once, so it never registers.`,
  remedy: ({ flag }) => [
    {
      text: 'See where it comes from: unit drop-ins, environment file, extra arguments of the user data.',
      command: `kubelet --version; systemctl cat kubelet; sudo grep -rn -- ${flag === undefined ? 'extra-args' : `'${flag.replaceAll("'", '')}'`} /etc/systemd/system/kubelet.service.d /etc/eks /etc/kubernetes /etc/default/kubelet /var/lib/kubelet/kubeadm-flags.env`,
    },
    step(
      'Remove it for this Kubernetes version (for example --container-runtime is gone since 1.27, --network-plugin since 1.24) in the launch template or image, then start the kubelet again.',
      'sudo systemctl daemon-reload && sudo systemctl restart kubelet && journalctl -u kubelet -n 20 --no-pager',
    ),
  ],
  decide: step(
    'Read the kubelet’s last words; it lives for less than a second.',
    'journalctl -u kubelet -n 30 --no-pager',
  ),
  page: {
    why: 'Every Kubernetes release removes kubelet flags and feature gates, and the configuration file is decoded strictly. An image, a unit file or user data that is older than the kubelet hands it something it no longer knows.',
    prevent:
      'Take kubelet and unit file from the same image release; keep extra arguments in the configuration file and test them with the next version first.',
    notThis:
      'A configuration file that is not there is kubelet-without-kubeconfig. A label the kubelet refuses is reserved-label-in-kubelet-flags, swap swap-enabled, kernel settings unexpected-kernel-parameters. “Flag --… has been deprecated” is only a notice.',
    alsoKnownAs: [
      'failed to parse kubelet flag: unknown flag: --container-runtime',
      'unrecognized feature gate',
    ],
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/HEAD/cmd/kubelet/app/server.go',
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/kubelet/config.go',
    ],
  },
});

const inPlans = foreseen(
  judged,
  (plan, group) => {
    const { userData } = machineOf(plan, group);
    const version = group.cluster?.value.version ?? null;
    const minor = Number(/^1\.(\d+)/.exec(version ?? '')?.[1] ?? Number.NaN);
    if (userData === null || Number.isNaN(minor)) return NOT_SHOWN;
    const flag = userData.value.kubeletFlags.find((name) => (DROPPED[name] ?? minor + 1) <= minor);
    if (flag === undefined) return clear;
    const since = `1.${DROPPED[flag] ?? minor}`;
    return found({ flag: `--${flag}`, machine: group.name, since }, [
      plan.quote(userData, `user data of ${group.name} passes --${flag} to the kubelet`),
      plan.quote(
        group.cluster ?? group.fact,
        `cluster ${group.clusterName ?? ''} version ${version ?? ''}`,
      ),
    ]);
  },
  {
    remedy: ({ flag, since }) => [
      step(
        userDataStep(
          `take ${flag ?? 'the flag'} out; kubelets do not know it since ${since ?? 'their release'}.`,
        ),
      ),
    ],
  },
);

/** What a kubelet is given and does not know, with the release that dropped it. */
interface Unknown {
  readonly flag: string;
  readonly since: number;
  readonly at: string;
}

function unknownTo(own: KubeadmGiven): readonly Unknown[] {
  const flags = own.registrations.flatMap((one) => {
    const at = `${one.of} nodeRegistration.kubeletExtraArgs`;
    const names = Object.keys(one.flags).filter((name) => Object.hasOwn(DROPPED, name));
    const gates = (one.flags['feature-gates'] ?? '')
      .split(',')
      .map((pair) => pair.split('=')[0] ?? '');
    return [
      ...names.map((name) => ({ flag: `--${name}`, since: DROPPED[name] ?? 0, at })),
      ...droppedGates(gates, at),
      ...(one.flags['cloud-provider'] === 'aws'
        ? [{ flag: '--cloud-provider=aws', since: NO_PROVIDER_SINCE, at }]
        : []),
    ];
  });
  return [
    ...flags,
    ...droppedGates(own.kubelet?.featureGates ?? [], 'KubeletConfiguration featureGates'),
  ];
}

function droppedGates(gates: readonly string[], at: string): readonly Unknown[] {
  return gates
    .filter((gate) => Object.hasOwn(DROPPED_GATES, gate))
    .map((gate) => ({ flag: gate, since: DROPPED_GATES[gate] ?? 0, at }));
}

export default foreseenByKubeadm(
  inPlans,
  (plan, { fact, own, minor, shownBy, controlPlane }) => {
    const known = unknownTo(own);
    if (known.length === 0)
      return own.registrations.length === 0 && own.kubelet === null ? NOT_SHOWN : clear;
    if (minor === null) return NOT_SHOWN;
    const unknown = known.find(({ since }) => since <= minor);
    if (unknown === undefined) return clear;
    return found({ flag: unknown.flag, since: `1.${unknown.since}` }, [
      plan.quote(fact, `${unknown.at}: ${unknown.flag}`),
      plan.quote(shownBy, `ClusterConfiguration kubernetesVersion ${controlPlane?.version ?? ''}`),
    ]);
  },
  {
    summary: ({ planned, flag, since }) =>
      `The kubelet of ${planned ?? 'the machine'} is given ${flag ?? 'what it does not know'}, which kubelets do not know since ${since ?? 'their release'}, and exits at once.`,
    remedy: ({ flag }) => [
      flag === '--cloud-provider=aws'
        ? step(
            'Set cloud-provider: external in kubeletExtraArgs, and install the AWS cloud controller manager.',
          )
        : step(`Take ${flag ?? 'it'} out.`),
    ],
  },
);
