import { clear, defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import {
  fadingNodes,
  type FleetFacts,
  idsOf,
  isConfigMapOnly,
  lostRoles,
  nodeRolesOf,
  shutOutRoles,
} from '../../../domain/nodes/fleet.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { isByMap } from '../../../domain/planned/admission.ts';

/** The authenticator cannot parse mapRoles, so no entry of it counts. */
const cause = defineCause({
  id: 'unparseable-aws-auth',
  stage: 'authenticated',
  title: 'the content of aws-auth cannot be parsed',
  scope: 'cluster',
  signs: {
    parsingFailed: definite(
      ['authenticator'],
      /Errors parsing configmap|There was an error parsing the config maps/,
    ),
    listRefused: context(
      ['client-output', 'terraform'],
      /cannot unmarshal array into Go struct field ConfigMap\.data/,
    ),
    mappingsInvalid: context(
      ['authenticator'],
      /invalid server (?:role|user) mappings: |error canonicalizing ARN: |failed to parse configmap/,
      { anchors: ['invalid server ', 'error canonicalizing ARN: ', 'failed to parse configmap'] },
    ),
  },
  needs: ['kube/aws-auth', 'aws/instance', 'aws/instance-profile', 'kube/Node', 'aws/cluster'],
  symptoms: ['kubelet-unauthorized'],
  withdrawnBy: [],
  explains: [
    'node-role-not-in-aws-auth',
    'role-path-in-aws-auth',
    'wrong-username-or-groups-mapped',
  ],
  summary: ({ why }) =>
    sentence`aws-auth cannot be parsed${phrase` (${why})`}; the entries in it do not count and nodes that rely on them get 401 Unauthorized.`,
  remedy: () => [
    step(
      'Take the text out and find the line that is not YAML (tabs, a missing blank after a dash, wrong indentation).',
      "kubectl -n kube-system get configmap aws-auth -o jsonpath='{.data.mapRoles}' | python3 -c 'import sys,yaml; yaml.safe_load(sys.stdin)'",
    ),
    step(
      'Write it again; mapRoles is a text (note the bar) that holds a list.',
      'kubectl -n kube-system edit configmap aws-auth',
    ),
  ],
  decide: step(
    'Read the map as it stands; what cannot be parsed is named.',
    'kubectl -n kube-system get configmap aws-auth -o yaml',
  ),
  page: {
    why: 'To Kubernetes mapRoles is any text; nothing checks it when it is saved. The authenticator parses it as YAML and drops the whole list at the first error.',
    prevent:
      'Change aws-auth with eksctl create iamidentitymapping, or use access entries, which the API checks.',
    notThis:
      'A text that parses but lacks the role is node-role-not-in-aws-auth; one whose entry is right in form and wrong in content, role-path-in-aws-auth or wrong-username-or-groups-mapped.',
    refs: [
      'https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/HEAD/pkg/mapper/configmap/configmap.go',
    ],
  },
});

const judged = matched(cause, (view) => {
  const auth = view.read('kube/aws-auth');
  const lost = shutOut(view);
  const isRead = view
    .list('aws/cluster')
    .every(({ value }) => value.accessConfig?.authenticationMode !== 'API');
  // Without mapUsers people are locked out, and nodes are not.
  const isOfUsers = auth.state === 'seen' && auth.value.malformed?.startsWith('mapUsers') === true;
  if (lost !== null && (lost.length === 0 || !isRead || isOfUsers)) return clear;
  // One entry without an ARN costs only itself; the authenticator keeps the others.
  if (
    auth.state !== 'seen' ||
    auth.value.malformed === null ||
    / has an entry without /.test(auth.value.malformed)
  )
    return null;
  const why = auth.value.malformed;
  return found(
    { why },
    [view.quote(auth, `ConfigMap aws-auth: ${why}`)],
    'definite',
    lost ?? undefined,
  );
});

/** Machines that are shut out where nothing but aws-auth lets them in; null where nobody can say. */
function shutOut(facts: FleetFacts): readonly string[] | null {
  const fleet = nodeRolesOf(facts);
  if (fleet === null) return null;
  const isOnly = isConfigMapOnly(facts);
  // Where EC2 was not read, the Nodes themselves show who fell silent.
  if (fleet.length === 0 && isOnly) return fadingNodes(facts).map(({ value }) => value.name);
  const roles = isOnly ? shutOutRoles(fleet) : lostRoles(fleet);
  return roles.flatMap((role) => idsOf(role.lost));
}

export default foreseen(
  judged,
  (plan, group) => {
    const isAsked = isByMap(plan, group);
    const [map, ...others] = plan.list('kube/aws-auth');
    if (isAsked !== true) return isAsked === false ? null : NOT_SHOWN;
    if (map === undefined || others.length > 0) return NOT_SHOWN;
    const fault = map.value.malformed;
    if (fault === null) return clear;
    if (/ has an entry without |^mapUsers/.test(fault)) return NOT_SHOWN;
    const why = fault.replace(/A YAML document cannot be parsed \((.*)\);.*$/, '$1');
    return found({ why }, [
      plan.quote(map, `ConfigMap aws-auth: ${why}`),
      plan.quote(group.fact, `${group.name} runs with the role ${group.role?.name ?? ''}`),
    ]);
  },
  {
    remedy: () => [
      step('Write mapRoles with yamlencode([...]), which makes YAML that the authenticator reads.'),
    ],
  },
);
