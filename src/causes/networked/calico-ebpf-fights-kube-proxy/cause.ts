import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';

/** Felix in eBPF mode removes the rules that a running kube-proxy keeps writing. */
const cause = defineCause({
  id: 'calico-ebpf-fights-kube-proxy',
  stage: 'networked',
  title: 'Calico in eBPF mode wipes the rules of a kube-proxy that still runs',
  scope: 'cluster',
  signs: {
    cleansUp: context(
      ['calico-node'],
      /BPF enabled, configuring iptables\S* layer to clean up kube-proxy's rules/,
      { anchors: ['layer to clean up kube-proxy'] },
    ),
    switchedOn: context(
      ['unknown', 'object', 'client-output', 'calico-node'],
      /bpfEnabled"?: ?true|BPFEnabled[=:" ]+true|FELIX_BPFENABLED[=:" ]+true/i,
      { anchors: ['bpfEnabled', 'BPFEnabled', 'BPFENABLED'] },
    ),
    cleanupOff: context(
      ['unknown', 'object', 'client-output', 'calico-node'],
      /bpfKubeProxyIptablesCleanupEnabled"?[=:" ]+false/i,
      { anchors: ['KubeProxyIptablesCleanupEnabled'] },
    ),
    chainGone: context(
      ['kube-proxy', 'unknown'],
      /iptables-restore v\S+ \(\w+\): Couldn't load target [`']KUBE-(?:SVC|SEP|MARK|SERVICES|EXT|XLB)|"?Failed to execute iptables-restore"?/,
    ),
    healedWithoutCleanup: context(
      ['client-output', 'unknown'],
      /\biptables-restore\b.{0,80}\b(?:stopped|disappeared|went away|(?:are|were) gone)\b/,
      { isTold: true },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  explains: [
    'service-ip-unreachable-for-calico',
    'service-ip-unreachable-for-cni',
    'calico-dataplane-not-ready',
    'calico-nodename-not-written',
    'kube-proxy-not-working',
    'iptables-backend-mismatch',
  ],
  summary: () =>
    'Calico runs in eBPF mode and removes kube-proxy’s rules while kube-proxy still writes them, so service addresses are dead on the nodes.',
  remedy: () => [
    step(
      'While kube-proxy runs, let Calico leave its rules alone.',
      'kubectl patch felixconfiguration default --type merge -p \'{"spec":{"bpfKubeProxyIptablesCleanupEnabled":false}}\'',
    ),
    step(
      'Or take kube-proxy off and give Calico the API server’s own address.',
      'kubectl -n kube-system patch daemonset kube-proxy -p \'{"spec":{"template":{"spec":{"nodeSelector":{"non-calico":"true"}}}}}\'',
    ),
  ],
  decide: step(
    'See Calico’s mode beside kube-proxy.',
    "kubectl get felixconfiguration default -o jsonpath='{.spec.bpfEnabled} {.spec.bpfKubeProxyIptablesCleanupEnabled}'; kubectl -n kube-system get daemonset kube-proxy",
  ),
  page: {
    why: 'In eBPF mode Calico serves service addresses itself and cleans up what it takes for kube-proxy’s remains. A kube-proxy that still runs loses the chains its next round refers to.',
    prevent: 'Turn kube-proxy off in the same step that turns eBPF on.',
    notThis:
      'Time-outs to the service address without eBPF are service-ip-unreachable-for-calico; a kube-proxy that is absent or crashes is kube-proxy-not-working.',
    alsoKnownAs: [
      "iptables-restore Couldn't load target KUBE-SVC",
      'bpfKubeProxyIptablesCleanupEnabled',
    ],
    refs: [
      'https://github.com/projectcalico/calico/issues/10538',
      'https://docs.tigera.io/calico/latest/operations/ebpf/enabling-ebpf',
    ],
  },
});

export default matched(cause, matchFight);

type Own = ViewOf<typeof cause>;

function matchFight(view: Own): Match | null {
  const mode = view.sign('cleansUp') ?? view.sign('switchedOn');
  const gone = view.sign('chainGone');
  const healed = view.sign('healedWithoutCleanup');
  if (mode !== null && healed !== null && view.sign('cleanupOff') !== null)
    return found({}, [mode.first, healed.first], 'likely');
  if (mode === null || gone === null) return null;
  if (view.sign('cleansUp') === null && view.sign('cleanupOff') !== null) return clear;
  return found({}, [mode.first, gone.first], 'likely');
}
