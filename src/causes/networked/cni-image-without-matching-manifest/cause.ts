import { cniContainer } from '../../../capacity/cni-settings.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import {
  isReadyPod,
  podsOfSet,
  podWords,
  stateWords,
  unreadyPods,
} from '../../../domain/pods/pods-seen.ts';
import type { Container } from '../../../evidence/kube/pod.ts';

/** Somebody changed the image of aws-node and left the rest of the daemon set as it was. */
const cause = defineCause({
  id: 'cni-image-without-matching-manifest',
  stage: 'networked',
  title: 'the VPC CNI’s image is newer than its daemon set',
  scope: 'cluster',
  signs: {
    noFamily: definite(['ipamd', 'aws-node'], /IPv4 and IPv6 are both disabled/),
    stateFolderMissing: definite(
      ['ipamd', 'aws-node'],
      /open \/var\/run\/aws-node\/ipam\.json\S*: no such file or directory/,
    ),
    panics: context(
      ['ipamd', 'aws-node'],
      /panic: runtime error: invalid memory address or nil pointer dereference/,
    ),
    retries: context(['aws-node'], /Retrying waiting for IPAM-D/),
    versionsDiffer: likely(
      ['ipamd', 'aws-node', 'cni-plugin', 'event'],
      /Rejecting (?:AddNetwork|DelNetwork) request: wrong client version/,
      { atLeast: 4, enoughOnce: 'alone' },
    ),
    // The manifest of the release brings the definitions of the kinds that its agent asks for.
    kindUnknown: likely(
      ['ipamd', 'aws-node'],
      /no matches for kind "(?<kind>ENIConfig|CNINode|PolicyEndpoint|SecurityGroupPolicy)" in version|failed to list \S{1,80}(?<kind2>ENIConfig|CNINode): the server could not find the requested resource/,
      { anchors: ['no matches for kind ', 'the server could not find the requested'] },
    ),
    rightMissing: context(
      ['ipamd', 'aws-node'],
      /system:serviceaccount:kube-system:aws-node\\?" cannot (?:get|list|watch) resource|failed to read ENI max pods file/,
    ),
  },
  needs: ['kube/DaemonSet', 'kube/Pod'],
  symptoms: ['cni-daemon-silent'],
  withdrawnBy: ['networking-initialized', 'node-ready'],
  explains: [
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
    'eniconfig-not-readable',
    'ipv6-prefix-not-assigned',
  ],
  summary: ({ image }) =>
    `The daemon set aws-node runs the image ${image ?? 'of a newer release'} with the settings of an older one, so ipamd ends at start and nodes get no pod network.`,
  remedy: () => [
    step(
      'Let the managed add-on bring image, settings and roles together.',
      'aws eks update-addon --cluster-name <cluster> --addon-name vpc-cni --resolve-conflicts OVERWRITE',
    ),
    step(
      'Or apply the whole manifest of the image’s release.',
      'kubectl apply -f https://raw.githubusercontent.com/aws/amazon-vpc-cni-k8s/<release>/config/master/aws-k8s-cni.yaml',
    ),
  ],
  decide: step(
    'See whether the daemon set says which address family it serves.',
    "kubectl -n kube-system get daemonset aws-node -o yaml | grep -E 'image:|ENABLE_IPv[46]' -A1",
  ),
  page: {
    why: 'Since 1.10 the daemon set must say ENABLE_IPv4 or ENABLE_IPv6. `kubectl set image` changes only the image.',
    prevent: 'Update by manifest or add-on, never by image alone.',
    notThis:
      'A panic or a silent ipamd alone does not say so; it must come with a daemon set that lacks these settings.',
    alsoKnownAs: [
      'IPv4 and IPv6 are both disabled',
      'aws-node panic nil pointer dereference after upgrade',
    ],
    refs: ['https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/docs/troubleshooting.md'],
  },
});

export default matched(cause, matchEnvironment);

type Own = ViewOf<typeof cause>;

/** Later releases start ipamd without a shell script, whose retries have more reasons. */
const LAST_OF_SHELL = 11;

/** The settings became mandatory in release 1.10; where a pod of it is Ready, they do not matter. */
function matchEnvironment(view: Own): Match | null {
  const daemonSet = view.list('kube/DaemonSet').find((entry) => entry.value.name === 'aws-node');
  if (daemonSet === undefined || view.sign('noFamily') !== null) return null;
  const container = cniContainer(daemonSet.value);
  const image = container?.image ?? '';
  const minor = Number(/:v1\.(\d+)/.exec(image)?.[1] ?? 0);
  if (minor < 10 || container === null) return null;
  if (namesFamily(container)) return clear;
  const pods = podsOfSet(view.list('kube/Pod'), 'aws-node');
  if (pods.some(isReadyPod)) return clear;
  const [broken] = unreadyPods(pods, view);
  const said = view.sign('panics') ?? (minor <= LAST_OF_SHELL ? view.sign('retries') : null);
  if (said === null) return null;
  const settings = `DaemonSet aws-node image ${image} without ENABLE_IPv4 and ENABLE_IPv6`;
  const proof = [view.quote(daemonSet, settings)];
  const state =
    broken === undefined ? [] : [view.quote(broken, `${podWords(broken)} ${stateWords(broken)}`)];
  return found({ image }, [...proof, said.last, ...state], 'likely');
}

function namesFamily(container: Container): boolean {
  return (container.env ?? []).some((entry) => /^ENABLE_IPv[46]$/.test(entry.name ?? ''));
}
