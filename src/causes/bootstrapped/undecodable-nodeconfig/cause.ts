import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import { launchOf } from '../../../domain/instances/launch.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { hasOwnUserData } from '../../../domain/planned/machine.ts';
import { userDataStep } from '../../../domain/planned/remedies.ts';

/** A NodeConfig is there, but nodeadm cannot parse it. */
const cause = defineCause({
  id: 'undecodable-nodeconfig',
  stage: 'bootstrapped',
  title: 'the NodeConfig cannot be decoded',
  scope: 'machine',
  signs: {
    yamlBroken: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /Command failed.{0,300}?\berror": ?"[^"]{0,200}?(?<reason>(?:yaml: (?:line \d+|unmarshal errors|mapping|did not)|json: cannot unmarshal|strict decoding error)[^"\\{}]{0,160})/,
    ),
    notDecoded: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /failed to decode (?:node config|NodeConfig)[:,]? ?(?<reason>[^"\\{}]{0,160})|failed to decode "[^"]*"(?<reason2>, unexpected group| \(wrong Kind\))/,
    ),
    unknownVersion: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /(?<reason>no kind "?\w+"? is registered for version "?node\.eks\.aws\/\w+)/,
    ),
    dropInBroken: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /failed to parse config file (?<file>[^\s:"]+)/,
    ),
    toldZipped: likely(
      ['client-output', 'unknown'],
      /\bnodeadm\b.{0,160}\b(?:control characters?|gzip\w{0,3}|compress\w{2,3})\b.{0,60}\b(?:user ?-?data|NodeConfig)\b|\bnodeadm\b.{0,120}\b(?:user ?-?data|NodeConfig)\b.{0,60}\b(?:gzip\w{0,3}|compress\w{2,3}|content-encoding)\b/,
      { isTold: true, anchors: ['nodeadm'] },
    ),
  },
  needs: ['aws/instance', 'aws/image', 'aws/user-data'],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['nodeconfig-missing'],
  summary: ({ machine, instance, reason, file }) =>
    sentence`nodeadm on ${instance ?? machine ?? 'the machine'} cannot read its NodeConfig${phrase` ${file}`}${reason === undefined || reason === '' ? '' : ` (${reason.replace(/^[\s(,]+|[\s)]+$/g, '')})`}, so the kubelet is never configured.`,
  remedy: () => [
    step(
      'Let nodeadm say on the machine what it cannot read.',
      'sudo nodeadm config check -c imds://user-data',
    ),
    step(
      'Correct indentation, quoting, apiVersion (node.eks.aws/v1alpha1) or kind (NodeConfig) in the launch template, then replace the machines.',
      'nodeadm config check -c file://nodeconfig.yaml',
    ),
  ],
  decide: step(
    'Let nodeadm check the configuration that it got.',
    'sudo nodeadm config check -c imds://user-data; ls /etc/eks/nodeadm.d',
  ),
  page: {
    why: 'The NodeConfig is YAML inside a MIME part, often put together by a template. An indented block that moved, an unquoted value or another apiVersion makes it unreadable, and nodeadm has nothing else to go by.',
    prevent:
      'Render the user data in the pipeline and run nodeadm config check on it before the launch template changes.',
    notThis:
      'Newer nodeadm only warns of a part in user data that it cannot decode and then ends with “no config in chain”; this cause explains nodeconfig-missing then. A NodeConfig that parses but lacks a field is incomplete-nodeconfig.',
    alsoKnownAs: ["yaml: line 4: could not find expected ':'"],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/api/bridge/decode.go',
      'https://github.com/awslabs/amazon-eks-ami/issues/1701',
    ],
  },
});

const judged = matched(cause, matchGiven);

type Own = ViewOf<typeof cause>;

function matchGiven(view: Own): Match | null {
  const launch = launchOf(view);
  if (launch?.family !== 'al2023') return null;
  const faults = launch.given.value.nodeConfigs.map(({ unreadable }) => unreadable);
  const reason = faults[0] ?? null;
  if (faults.length > 0 && faults.every((fault) => fault === null))
    return clearUnlessSeen(view, ['yamlBroken', 'notDecoded', 'unknownVersion', 'dropInBroken']);
  if (!view.shows('machine-without-node')) return null;
  if (reason === null || faults.includes(null)) return null;
  return found({ instance: launch.id, reason }, [
    view.quote(launch.given, `NodeConfig in the user data of ${launch.id}: ${reason}`),
    view.quote(launch.image, `${launch.id} runs the image ${launch.imageName}`),
  ]);
}

export default foreseenByMatch(judged, hasOwnUserData, {
  remedy: () => [
    step(
      userDataStep(
        'correct the NodeConfig (apiVersion node.eks.aws/v1alpha1, kind NodeConfig); yamlencode writes one without mistakes of indentation.',
      ),
    ),
  ],
});
