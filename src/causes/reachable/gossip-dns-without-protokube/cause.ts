import { defineCause, found } from '../../../diagnosis/cause.ts';

/** A kOps gossip cluster whose worker has nobody to write the cluster's names into /etc/hosts. */
export default defineCause({
  id: 'gossip-dns-without-protokube',
  stage: 'reachable',
  title: 'protokube is not on the worker, so the gossip cluster’s names do not resolve',
  scope: 'machine',
  signs: {
    nameUnknown: {
      in: ['nodeup', 'kubelet', 'journal', 'cloud-init', 'client-output'],
      anchors: ['no such host', 'server misbehaving'],
      pattern:
        /lookup (?<name>(?:kops-controller|api)\.internal\.[\w.-]+\.k8s\.local)\.?(?: on (?<resolver>[\d.:a-f[\]]+))?: (?:no such host|server misbehaving)/,
      weight: 'likely',
      atLeast: 2,
    },
    serverCannotFind: {
      in: ['client-output', 'host-file'],
      anchors: ["server can't find "],
      pattern:
        /server can't find (?<name>(?:kops-controller|api)\.internal\.[\w.-]+\.k8s\.local): (?:SERVFAIL|NXDOMAIN)/,
      weight: 'context',
    },
    protokubeAbsent: {
      in: ['client-output', 'journal', 'nodeup'],
      anchors: ['protokube.service could not be found'],
      pattern: /Unit protokube\.service could not be found/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  explains: ['kops-controller-name-unresolved', 'api-name-unresolvable'],
  match(view) {
    const absent = view.sign('protokubeAbsent');
    const name = view.sign('nameUnknown') ?? view.sign('serverCannotFind');
    if (absent === null || name === null) return null;
    return found(name.last.captures, [name.first, absent.first]);
  },
  summary: ({ name, machine }) =>
    `${machine ?? 'The worker'} cannot resolve ${name ?? 'kops-controller.internal'}: in a gossip cluster protokube writes that name into /etc/hosts, and it is not there.`,
  remedy: () => [
    {
      text: 'See whether protokube runs and whether the names are in the hosts file.',
      command: "systemctl status protokube --no-pager; grep -A3 'managed by kops' /etc/hosts",
    },
    {
      text: 'Use a kOps release that installs it on gossip workers, or move the cluster to dns none; then roll the workers.',
      command:
        'kops update cluster --name <cluster> --yes && kops rolling-update cluster --name <cluster> --yes',
    },
  ],
  decide: {
    text: 'See whether protokube runs on the worker.',
    command: "systemctl status protokube --no-pager; grep -A3 'managed by kops' /etc/hosts",
  },
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
