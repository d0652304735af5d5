import { foreignProvider } from '../../../domain/naming/seen-names.ts';
import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import { INITIALISED } from '../../../diagnosis/name-signs.ts';
import { instanceIdIn } from '../../../evidence/names.ts';

/** The Node’s providerID does not have the form by which the cloud controller finds the instance. */
const cause = defineCause({
  id: 'provider-id-missing-or-malformed',
  stage: 'identified',
  title: 'the providerID of the Node is missing or malformed',
  scope: 'machine',
  signs: {
    invalidId: likely(
      ['cloud-controller', 'controller-manager', 'kubelet'],
      /(?:node (?<node>[a-z0-9][a-z0-9.-]*) (?:is shutdown|exists): )?Invalid (?:format|scheme) for AWS instance \((?<provider>[^)]*)\)(?!, and error by node name)/,
    ),
    // A Node has no providerID until the controller gives it one.
    ...INITIALISED,
    notParsed: likely(
      ['cloud-controller', 'controller-manager', 'karpenter'],
      /unable to parse ProviderID:? "?(?<provider>[^"\s]*)|parsing instance id(?:,? provider id does not match known format:)? (?<provider2>\S+:\/\/[^\s"]*)/,
    ),
    // Of a Fargate or hybrid node the autoscaler says so as well, and nothing is wrong; a placeholder
    // stands for an instance that its group could not launch.
    refusedByAutoscaler: likely(
      ['pod-app', 'client-output', 'event'],
      /(?:Failed to get nodegroup for (?<node>[\w.-]{1,253}): |\b)[Ww]rong id: expected format aws:\/\/\/<zone>\/<name>, got ?"?(?!.{0,120}\/fargate-|eks-hybrid:|.{0,60}\/i-placeholder-)(?<provider>[^"\s]{0,200})/,
      { anchors: ['rong id: expected format aws:'] },
    ),
    neverSet: likely(
      ['cloud-controller', 'kops-controller'],
      /node "(?<node>[^"]+)" did not have ProviderID set|providerID was not set for node (?<node2>[a-z0-9][a-z0-9.-]*)/,
      { atLeast: 10, enoughOnce: 'alone' },
    ),
    // As the kubelet's configuration or the Node shows it.
    setWrong: likely(
      ['object', 'client-output', 'host-file', 'unknown'],
      /^\s*"?(?:providerID|ProviderID)"?:\s{0,30}"?(?<provider>aws(?!:\/\/\/[a-z0-9-]+\/\S)[^\s",]{0,80}|i-[0-9a-f]{8,17})"?,?\s*$/,
      { anchors: ['providerID', 'ProviderID'] },
    ),
    notRecognised: likely(
      ['event', 'cloud-controller', 'controller-manager'],
      /providerID "?(?<provider>[^"\s]*)"? not recognized for node "?(?<node>[a-z0-9][a-z0-9.-]*)/i,
      { anchors: ['not recognized for node'] },
    ),
    // As a Node or a kubelet's configuration shows it: a word, or an instance without its scheme.
    bareWord: likely(
      ['object', 'client-output', 'host-file', 'unknown'],
      /^\s*"?providerID"?: {1,4}"?(?!null\b|true\b|false\b)(?<provider>[a-z][\w-]{0,40}|aws:\/{1,2}i-[0-9a-f]{8,17})"?,?\s*$/,
      { anchors: ['providerID'] },
    ),
    emptyForClusterApi: context(
      ['pod-app', 'unknown'],
      /Failed to parse ProviderID\b.{0,40}\bproviderID is empty/,
    ),
    // The load balancer controller registers instances by the id of their Node.
    notRegisteredAsTarget: likely(
      ['pod-app', 'client-output', 'event', 'unknown'],
      /providerID is not specified for node: (?<node>[a-z0-9][\w.-]{0,252})/,
    ),
  },
  needs: ['kube/Node', 'aws/instance'],
  symptoms: ['node-uninitialized'],
  per: ['node'],
  explains: ['ccm-cannot-initialize-node'],
  summary: ({ node, provider, named, actual }) =>
    named !== undefined
      ? `The providerID of the Node ${node ?? ''} names ${named}, but the machine with its address is ${actual ?? 'another'}; addresses, zone, volumes and deletion follow the wrong instance.`
      : provider === undefined || provider === ''
        ? sentence`The Node ${node} has no providerID, so the cloud controller cannot tell which instance it is.`
        : sentence`The providerID ${provider} of the Node ${node} is not of the form aws:///<zone>/<instance-id>, so the cloud controller cannot tell which instance it is.`,
  remedy: ({ node }) => [
    step(
      'Give the kubelet the right one before it registers (providerID in its configuration).',
      'echo "providerID: aws:///$(cloud-init query availability_zone)/$(cat /var/lib/cloud/data/instance-id)" | sudo tee -a /var/lib/kubelet/config.yaml',
    ),
    step(
      'A providerID that is set cannot be changed: delete the Node and restart the kubelet.',
      `kubectl delete node ${node ?? '<node>'}`,
    ),
  ],
  decide: step(
    'Read the providerID of every Node.',
    'kubectl get nodes -o custom-columns=NAME:.metadata.name,PROVIDER:.spec.providerID',
  ),
  page: {
    why: 'The cloud controller finds an instance by spec.providerID once that is set. Text from another cloud, an old format or a value without zone makes every look-up fail.',
    prevent: 'Leave providerID to the cloud controller, or derive it from instance metadata.',
    notThis:
      'No providerID and the taint uninitialized mean that the cloud controller has not run: no-cloud-controller-manager. No providerID without that taint is usual for clusters without a cloud provider.',
    refs: [
      'https://github.com/kubernetes/cloud-provider-aws/issues/724',
      'https://github.com/kubernetes/cloud-provider-aws/issues/72',
    ],
  },
});

export default matched(cause, (view) => matchMalformed(view) ?? matchOther(view));

type Own = ViewOf<typeof cause>;

/** Fargate and hybrid nodes have forms of their own, as have other clouds. */
function isMalformed(provider: string | null): boolean {
  if (provider === null || provider === '') return false;
  if (!provider.startsWith('aws:')) return instanceIdIn(provider) !== null;
  return !/^aws:\/\/\/[a-z0-9-]+\/(?:i-[0-9a-f]{8,17}|[0-9a-z-]+\/fargate-.+)$/.test(provider);
}

function matchMalformed(view: Own): Match | null {
  const wrong = view.list('kube/Node').find((node) => isMalformed(node.value.providerId));
  if (wrong === undefined) return null;
  const provider = wrong.value.providerId ?? '';
  const words = `Node ${wrong.value.name} spec.providerID ${provider}`;
  return found({ provider, node: wrong.value.name }, [view.quote(wrong, words)]);
}

/** The id of another machine that runs, as cloned configurations carry it. */
function matchOther(view: Own): Match | null {
  const foreign = foreignProvider(view.list('kube/Node'), view.list('aws/instance'));
  if (foreign?.namedInstance?.value.State?.Name !== 'running') return null;
  const { node, named, actual, actualId } = foreign;
  const { name, providerId, internalIp } = node.value;
  return found({ node: name, named, actual: actualId }, [
    view.quote(node, `Node ${name} providerID ${providerId ?? ''} InternalIP ${internalIp ?? ''}`),
    view.quote(actual, `${actualId} running, with address ${internalIp ?? ''}`),
  ]);
}
