import {
  clear,
  defineCause,
  found,
  matched,
  step,
  type Match,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';
import type { DaemonSet } from '../../../evidence/kube/workloads.ts';

/** What the host calls its ends of pod links, by the DaemonSet of the CNI. */
const LINKS: Readonly<Record<string, string>> = {
  'aws-node': 'eni',
  'calico-node': 'cali',
  'kube-flannel': 'cni',
  'kube-flannel-ds': 'cni',
  'weave-net': 'weave',
};

/** The metadata redirect names an interface on which no pod's packets arrive. */
const cause = defineCause({
  id: 'metadata-redirect-on-wrong-interface',
  stage: 'credentialed',
  title: 'the metadata redirect is bound to an interface that pods do not use',
  scope: 'cluster',
  signs: {
    redirect: context(
      ['host-file', 'client-output', 'pod-app'],
      /-A PREROUTING -d 169\.254\.169\.254\/32 -i (?<interface>docker0|cbr0|cni0|weave|cali\+) .*-j DNAT --to-destination \S+:8181|\bDNAT\s+(?:tcp|6)\s+--\s+(?<interface2>docker0|cbr0|cni0|weave|cali\+)\s+\*\s.{0,80}169\.254\.169\.254\b.{0,60}\bto:\S+:8181/,
      { anchors: ['-A PREROUTING', '169.254.169.254'] },
    ),
    amazonLinks: context(
      ['host-file', 'client-output', 'pod-app'],
      /-i eni\+ -m comment --comment "AWS, primary ENI"|^\s*\d+: eni[0-9a-f]{11}@|^\s*eni[0-9a-f]{11}: flags=|^\s*(?:\d{1,3}\.){3}\d{1,3} dev eni[0-9a-f]{11}\b|^The machine has the link eni[0-9a-f]{11} of the VPC CNI$/,
      {
        anchors: ['AWS, primary ENI', ': eni', ': flags=', ' dev eni', 'has the link eni'],
      },
    ),
    amazonTold: context(
      ['client-output', 'unknown'],
      /\b(?:with|on|runs?|uses?|using|have|has|by) (?:only )?(?:the )?(?:AWS |Amazon )?VPC CNI\b/,
      { isTold: true },
    ),
    boundTo: context(
      ['client-output', 'unknown', 'object', 'pod-app', 'kube2iam'],
      /--host-interface[= ]"?(?<interface>docker0|cbr0|cni0|weave|cali\+|eni\+)/,
    ),
    networkTold: context(
      ['client-output', 'unknown'],
      /\b(?<network>kubenet|calico|cilium|flannel|weave|VPC CNI|amazon-vpc-cni)\b/i,
      {
        isTold: true,
        isBackground: true,
        anchors: ['kubenet', 'alico', 'ilium', 'lannel', 'weave', 'Weave', 'VPC CNI', 'vpc-cni'],
      },
    ),
    rulesRefused: context(['kiam-agent'], /error configuring iptables/),
  },
  needs: ['kube/DaemonSet'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ interface: bound, links }) =>
    `The metadata redirect catches packets from ${bound ?? 'one interface'}, but pods are linked by ${links ?? 'other interfaces'}*, so they reach instance metadata itself and get the node’s role.`,
  remedy: ({ links, proxy }) => [
    step(
      `Set --host-interface=${links ?? 'eni'}+ (or !eth0 for everything that is not the host’s own).`,
      `kubectl -n kube-system edit daemonset ${proxy ?? '<kiam-agent-or-kube2iam>'}`,
    ),
    step(
      'See that the rule’s counter rises when a pod asks.',
      'sudo iptables -t nat -vnL PREROUTING | grep 169.254.169.254',
    ),
  ],
  decide: step(
    'Compare the rule’s interface with the names of pod links on the host.',
    'sudo iptables-save -t nat | grep 169.254.169.254; ip -br link',
  ),
  page: {
    why: 'kiam binds docker0 by default and its sample manifest cali+. The VPC CNI names pod links eni…, calico cali…, flannel uses cni0. A rule for another interface is there and never matches.',
    prevent: 'Set the interface with the CNI, in one place.',
    notThis:
      'A rule that fits but came late is pod-started-before-kiam-redirect. Pods on the host’s network are never caught by it.',
    alsoKnownAs: ['kiam host-interface eni+'],
    refs: [
      'https://github.com/uswitch/kiam/issues/148',
      'https://github.com/uswitch/kiam/blob/HEAD/cmd/kiam/agent.go',
      'https://github.com/jtblin/kube2iam',
    ],
  },
});

export default matched(cause, (view) => {
  const redirect = view.sign('redirect');
  const amazon = view.sign('amazonLinks') ?? view.sign('amazonTold');
  if (redirect !== null && amazon !== null) {
    const bound = redirect.last.captures['interface'] ?? redirect.last.captures['interface2'] ?? '';
    return found({ interface: bound, links: 'eni' }, [redirect.first, amazon.first]);
  }
  const told = matchTold(view);
  if (told !== null) return told;
  const sets = view.list('kube/DaemonSet');
  const links = linksOf(sets.map((fact) => fact.value));
  const proxy = sets.find((fact) => interfaceOf(fact.value) !== null);
  const bound = proxy === undefined ? null : interfaceOf(proxy.value);
  if (links === null || proxy === undefined || bound === null) return null;
  if (fits(bound, links)) return redirect === null ? clear : null;
  const quote = view.quote(proxy, `DaemonSet ${proxy.value.name} --host-interface=${bound}`);
  return found({ interface: bound, links, proxy: proxy.value.name }, [quote]);
});

/** With the VPC CNI beside calico, calico only enforces policy and links stay the VPC CNI's. */
function linksOf(sets: DaemonSet[]): string | null {
  const names = sets.map((set) => set.name);
  const cni = Object.keys(LINKS).find((name) => names.includes(name));
  return cni === undefined ? null : (LINKS[cni] ?? null);
}

function interfaceOf(set: DaemonSet): string | null {
  const words = (set.spec?.template?.spec?.containers ?? []).flatMap((container) => [
    ...(container.command ?? []),
    ...(container.args ?? []),
  ]);
  const flag = words.find((word) => word.startsWith('--host-interface='));
  return flag?.slice('--host-interface='.length) ?? null;
}

function fits(bound: string, links: string): boolean {
  if (bound.startsWith('!')) return true;
  const stem = bound.replace(/[+\d]+$/, '');
  return stem === '' || links.startsWith(stem) || stem.startsWith(links);
}

/** Links of pods by the networks that people name. */
const LINKS_TOLD: readonly (readonly [RegExp, string])[] = [
  [/kubenet/i, 'cbr'],
  [/calico/i, 'cali'],
  [/cilium/i, 'lxc'],
  [/flannel/i, 'cni'],
  [/weave/i, 'weave'],
  [/vpc/i, 'eni'],
];

/** The argument of kube2iam, and the network of which somebody says that it is the cluster's. */
function matchTold(view: ViewOf<typeof cause>): Match | null {
  const [flag, network] = [view.sign('boundTo'), view.sign('networkTold')];
  if (flag === null || network === null || network.count > 1) return null;
  const bound = flag.last.captures['interface'] ?? '';
  const links = LINKS_TOLD.find(([name]) => name.test(network.last.captures['network'] ?? ''))?.[1];
  if (links === undefined || fits(bound, links)) return null;
  return found({ interface: bound, links }, [flag.first, network.first], 'likely');
}
