import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The CNI image writes legacy iptables on a host that has only nftables, or the other way round. */
const cause = defineCause({
  id: 'iptables-backend-mismatch',
  stage: 'networked',
  title: 'the VPC CNI uses another iptables backend than the host',
  scope: 'machine',
  signs: {
    tableMissing: definite(
      ['ipamd', 'aws-node', 'kube-proxy'],
      /can't initialize iptables table [`'"]?(?<table>\w+)['"]?: Table does not exist/,
    ),
    modeUndetected: definite(['ipamd', 'aws-node'], /failed to detect iptables mode/),
    targetMissing: likely(
      ['ipamd', 'aws-node'],
      /iptables v\S+ \((?:legacy|nf_tables)\): Couldn't load (?:match|target)/,
      { anchors: ['iptables v'], strict: true },
    ),
    incompatible: likely(
      ['ipamd', 'aws-node'],
      /table [`'"]?(?<table>\w+)['"]? is incompatible, use 'nft' tool/,
      { strict: true },
    ),
    hostReady: withdraws(['ipamd'], /node init completed successfully/),
    moduleMissing: likely(
      ['ipamd', 'aws-node', 'kube-proxy'],
      /modprobe: FATAL: Module ip6?_tables not found/,
    ),
    backendNft: context(
      ['client-output', 'unknown', 'host-file', 'aws-node', 'kube-proxy'],
      /^\s*iptables v[\d.]+ \((?<backend>nf_tables)\)\s*$/,
    ),
    backendLegacy: context(
      ['client-output', 'unknown', 'host-file', 'aws-node', 'kube-proxy'],
      /^\s*iptables v[\d.]+ \((?<backend>legacy)\)\s*$/,
    ),
    chainRefused: context(
      ['ipamd', 'aws-node', 'kube-proxy', 'kubelet', 'event'],
      /iptables hint chain exists|host network setup: failed to (?:create iptables|list iptables|add chain)|ipt\.NewChain error for chain|setup host snat failed|Failed to execute iptables-save/,
    ),
    toldTwoBackends: likely(
      ['client-output', 'unknown'],
      /\b(?:AWS|aws-node|VPC CNI|CNI)\b[^.]{0,60}\b(?:rules?|chains?|iptables)\b[^.]{0,40}\b(?:legacy (?:iptables|tables?|backend|mode)|iptables-legacy)\b[^.]{0,60}\b(?:nftables|nft|nf_tables|iptables-nft)\b|\b(?:kube-proxy|kubelet|[Hh]ost|[Nn]ode)\b[^.]{0,40}\b(?:uses?|using|has|writes?|on) (?:the )?(?:nftables|nft|nf_tables|iptables-nft)\b[^.]{0,60}\b(?:AWS|aws-node|VPC CNI|CNI)\b[^.]{0,40}\b(?:legacy|iptables-legacy)\b/,
      { isTold: true, anchors: ['legacy'] },
    ),
  },
  needs: [],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized'],
  withdrawnBy: ['networking-initialized', 'node-ready'],
  explains: [
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
    'service-ip-unreachable-for-cni',
  ],
  summary: ({ table, machine }) =>
    sentence`The iptables in the CNI image does not work with the kernel tables of ${machine ?? 'the host'}${phrase` (table ${table})`}, so ipamd cannot set up the host network and exits.`,
  remedy: () => [
    step(
      'Update the VPC CNI to 1.13.1 or newer, which detects the backend by itself.',
      'aws eks update-addon --cluster-name <cluster> --addon-name vpc-cni --resolve-conflicts PRESERVE',
    ),
    step(
      'On 1.12.1 to 1.13.0 say it.',
      'kubectl -n kube-system set env daemonset/aws-node ENABLE_NFTABLES=true',
    ),
    step(
      'At once, on the host: load the legacy tables.',
      'sudo modprobe ip_tables iptable_nat iptable_mangle iptable_filter',
    ),
  ],
  decide: step(
    'See which backend the host uses.',
    'iptables --version; lsmod | grep -E "^(ip_tables|iptable_nat|nf_tables)"',
  ),
  page: {
    why: 'RHEL 8 and its relatives, and newer Ubuntu, have nftables and no legacy iptables modules. CNI images before 1.12.1 carry legacy iptables only.',
    prevent: 'Use a current CNI on own machine images, or images whose backend it knows.',
    notThis:
      'kube-proxy’s “Couldn’t load target KUBE-SVC-…” is another matter (rules wiped under it: calico-ebpf-fights-kube-proxy).',
    alsoKnownAs: [
      "can't initialize iptables table `nat': Table does not exist (do you need to insmod?)",
      'ipt.NewChain error for chain AWS-SNAT-CHAIN-0',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/1847',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/docs/troubleshooting.md',
    ],
  },
});

/** The machine and a pod of it were asked, and each has another one. */
export default matched(cause, (view) => {
  const [nft, legacy] = [view.sign('backendNft'), view.sign('backendLegacy')];
  return nft === null || legacy === null ? null : found({}, [nft.first, legacy.first], 'likely');
});
