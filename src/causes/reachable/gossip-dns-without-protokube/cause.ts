import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** A kOps gossip cluster whose worker has nobody to write the cluster's names into /etc/hosts. */
const cause = defineCause({
  id: 'gossip-dns-without-protokube',
  stage: 'reachable',
  title: 'protokube is not on the worker, so the gossip cluster’s names do not resolve',
  scope: 'machine',
  signs: {
    nameUnknown: likely(
      ['nodeup', 'kubelet', 'journal', 'cloud-init', 'client-output'],
      /lookup (?<name>(?:kops-controller|api)\.internal\.[\w.-]+\.k8s\.local)\.?(?: on (?<resolver>[\d.:a-f[\]]+))?: (?:no such host|server misbehaving)/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
    serverCannotFind: context(
      ['client-output', 'host-file'],
      /server can't find (?<name>(?:kops-controller|api)\.internal\.[\w.-]+\.k8s\.local): (?:SERVFAIL|NXDOMAIN)/,
      { anchors: ["server can't find "] },
    ),
    protokubeAbsent: context(
      ['client-output', 'journal', 'nodeup'],
      /Unit protokube\.service could not be found/,
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['kops-controller-name-unresolved', 'api-name-unresolvable'],
  summary: ({ name, machine }) =>
    `${machine ?? 'The worker'} cannot resolve ${name ?? 'kops-controller.internal'}: in a gossip cluster protokube writes that name into /etc/hosts, and it is not there.`,
  remedy: () => [
    step(
      'See whether protokube runs and whether the names are in the hosts file.',
      "systemctl status protokube --no-pager; grep -A3 'managed by kops' /etc/hosts",
    ),
    step(
      'Use a kOps release that installs it on gossip workers, or move the cluster to dns none; then roll the workers.',
      'kops update cluster --name <cluster> --yes && kops rolling-update cluster --name <cluster> --yes',
    ),
  ],
  decide: step(
    'See whether protokube runs on the worker.',
    "systemctl status protokube --no-pager; grep -A3 'managed by kops' /etc/hosts",
  ),
  page: {
    why: 'Names under .k8s.local are in no DNS server: machines gossip and protokube writes them into /etc/hosts. A kOps release that leaves it out on workers, or a gossip port that is closed, leaves the worker without names.',
    prevent: 'Use topology dns none for new clusters.',
    notThis:
      'With public or private DNS it is kops-controller-name-unresolved. A name that resolves and does not answer is a time-out of the network.',
    alsoKnownAs: ['kops-controller.internal k8s.local no such host'],
    refs: [
      'https://github.com/kubernetes/kops/issues/14899',
      'https://github.com/kubernetes/kops/issues/7569',
    ],
  },
});

export default matched(cause, (view) => {
  const absent = view.sign('protokubeAbsent');
  const name = view.sign('nameUnknown') ?? view.sign('serverCannotFind');
  if (absent === null || name === null) return null;
  return found(name.last.captures, [name.first, absent.first]);
});
