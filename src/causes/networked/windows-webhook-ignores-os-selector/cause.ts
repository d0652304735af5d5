import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  type SignNameOf,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context } from '../../../diagnosis/sign.ts';
import type { Sighting } from '../../../evidence/sighting.ts';

/** The old admission webhook only knows pods by the deprecated operating-system label. */
const cause = defineCause({
  id: 'windows-webhook-ignores-os-selector',
  stage: 'networked',
  title: 'the Windows admission webhook knows only the deprecated selector beta.kubernetes.io/os',
  scope: 'cluster',
  signs: {
    noAddress: context(
      ['event', 'kubelet', 'pod-status'],
      /\bpod (?:[\w.-]{1,253} )?does not have label vpc\.amazonaws\.com\/PrivateIPv4Address/,
    ),
    webhookAge: context(
      ['event', 'kubelet', 'pod-status'],
      /NetworkPlugin cni failed to set up pod.*\bpod (?:[\w.-]{1,253} )?does not have label vpc\.amazonaws\.com\/PrivateIPv4Address/,
      { anchors: ['NetworkPlugin cni failed'] },
    ),
    currentWebhook: context(
      ['pod-app', 'unknown', 'object', 'client-output'],
      /vpc-admission-webhook(?: version |:v| v?)(?:0\.(?:2\.(?:[3-9]|\d\d)|[3-9]|\d\d)|[1-9])/,
    ),
    oldWebhook: context(
      ['pod-app', 'unknown', 'object', 'client-output'],
      /vpc-admission-webhook(?: version |:v| v?)(?<version>0\.(?:1\.\d+|2\.[0-2]))\b/,
    ),
    // What the webhook says of a pod whose selector it does not know.
    platformUnknown: context(
      ['pod-app', 'unknown', 'client-output'],
      /Skip mutation for .{0,160}as the target platform is \.?\s*$/,
    ),
    newSelector: context(
      ['object', 'unknown', 'client-output', 'pod-status', 'pod-app'],
      /(?<![\w.])kubernetes\.io\/os[:=] ?"?windows/,
      { anchors: ['kubernetes.io/os: windows', 'kubernetes.io/os=windows'] },
    ),
    oldSelector: context(
      ['object', 'unknown', 'client-output', 'pod-status', 'pod-app'],
      /beta\.kubernetes\.io\/os[:=] ?"?windows/,
    ),
  },
  needs: ['kube/Deployment'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['windows-ipam-disabled'],
  summary: ({ version }) =>
    sentence`The admission webhook${phrase` ${version}`} gives addresses only to pods that select beta.kubernetes.io/os, so Windows pods that select kubernetes.io/os get none and stay in ContainerCreating.`,
  remedy: () => [
    step(
      'Move to the controller that EKS runs itself.',
      'kubectl create configmap amazon-vpc-cni -n kube-system --from-literal=enable-windows-ipam=true --dry-run=client -o yaml | kubectl apply -f -',
    ),
    step(
      'Then remove the old controller and webhook.',
      'kubectl -n kube-system delete deployment vpc-resource-controller vpc-admission-webhook',
    ),
  ],
  decide: step(
    'See the webhook’s version and the pod’s selector.',
    "kubectl -n kube-system get deployment vpc-admission-webhook -o jsonpath='{..image}'",
  ),
  page: {
    why: 'Windows pods get their address as a resource that the webhook adds to those it takes for Windows pods. Before 0.2.3 it looked for beta.kubernetes.io/os only.',
    prevent: 'Use enable-windows-ipam, which needs no webhook of one’s own.',
    notThis:
      'When pods with the old selector get no address either, the webhook is absent or its certificate expired, or it is windows-ipam-disabled.',
    alsoKnownAs: ['pod does not have label vpc.amazonaws.com/PrivateIPv4Address'],
    refs: ['https://github.com/aws/containers-roadmap/issues/542'],
  },
});

export default matched(cause, matchWebhook);

type Own = ViewOf<typeof cause>;

/** Kubelets that wrote "NetworkPlugin" with a capital letter are older than the controller of EKS. */
function matchWebhook(view: Own): Match | null {
  const event = view.sign('noAddress');
  // The event is of a machine; the log and the manifest are of none.
  const said = (name: SignNameOf<typeof cause>): Sighting | null =>
    view.sign(name) ?? view.clusterSign(name);
  if (event === null) return null;
  const skipped = said('platformUnknown');
  const wanted = said('newSelector');
  if (skipped !== null && wanted !== null)
    return found({}, [event.first, wanted.first, skipped.first], 'likely');
  if (said('oldSelector') !== null) return null;
  const old = said('oldWebhook');
  if (old !== null) return found(old.first.captures, [event.first, old.first], 'likely');
  if (said('currentWebhook') !== null) return clear;
  const version = deployedVersion(view);
  if (version !== null) return found({ version }, [event.first], 'likely');
  if (wanted === null || view.sign('webhookAge') === null) return null;
  return found({}, [event.first, wanted.first], 'likely');
}

function deployedVersion(view: Own): string | null {
  const webhook = view
    .list('kube/Deployment')
    .find((entry) => entry.value.name.startsWith('vpc-admission-webhook'));
  const [container] = webhook?.value.spec?.template?.spec?.containers ?? [];
  return /:v(0\.(?:1\.\d+|2\.[0-2]))\b/.exec(container?.image ?? '')?.[1] ?? null;
}
