import {
  cannotSay,
  clear,
  defineCause,
  type Details,
  found,
  type Match,
  matched,
  type Step,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Update, NodeGroup } from '../../../evidence/aws/groups.ts';

const GROUP_LABEL = 'eks.amazonaws.com/nodegroup';

/** The last update of a managed node group failed, and its nodes are still the old ones. */
const cause = defineCause({
  id: 'node-group-update-failed',
  stage: 'retained',
  title: 'the last update of the node group failed, and it stays on its old version',
  scope: 'group',
  signs: {},
  needs: ['aws/node-group', 'aws/update', 'kube/Node'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['outdated-node-version'],
  summary: ({ group, code, message, wanted, version }) =>
    sentence`The update of the node group ${group} to ${wanted ?? 'a new version'} failed with ${code ?? 'an error'}${phrase` (${message})`}, so its nodes stay at ${version ?? 'the old version'}.`,
  remedy: (details) => remedyOf(details),
  decide: step(
    'Read the errors of the node group’s last update.',
    'aws eks list-updates --name <cluster> --nodegroup-name <node-group>; aws eks describe-update --name <cluster> --nodegroup-name <node-group> --update-id <update>',
  ),
  page: {
    why: 'An update that fails is taken back: the group is ACTIVE again, on the version that it had, and nothing in Kubernetes tells of it. The new nodes did not join (NodeCreationFailure), or pods could not leave the old ones (PodEvictionFailure), or EKS met something that it may not do or that is gone.',
    prevent: 'Wait for the end of updates in pipelines, and read their status.',
    notThis:
      'While the update is in progress and a budget holds its pods, it is node-group-rotation-stuck. A group that nobody updated is outdated-node-version, once it is too old.',
    alsoKnownAs: ['NodeCreationFailure during node group update', 'PodEvictionFailure'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html',
      'https://docs.aws.amazon.com/eks/latest/APIReference/API_ErrorDetail.html',
    ],
  },
});

export default matched(cause, matchUpdates);

type Own = ViewOf<typeof cause>;

function remedyOf({ code, group, cluster, wanted }: Details): readonly Step[] {
  const update = `aws eks update-nodegroup-version --cluster-name ${cluster ?? '<cluster>'} --nodegroup-name ${group ?? '<node-group>'}`;
  const to =
    wanted !== undefined && /^1\.\d+$/.test(wanted) ? ` --kubernetes-version ${wanted}` : '';
  if (code === 'PodEvictionFailure')
    return [
      step(
        'Find the budgets that allow no disruption, and give them room.',
        "kubectl get pdb -A | awk '$5 == 0 || $4 == 0'",
      ),
      step('Then update again.', `${update}${to}`),
    ];
  return [
    step(
      'See which machines of the group were launched and did not join, and why.',
      'rollcall --failed',
    ),
    step('When that is fixed, update again.', `${update}${to}`),
  ];
}

interface VersionUpdate {
  readonly fact: Seen<Update>;
  readonly status: string;
  readonly createdAt: string;
}

/** The group that an update is of: by the question, where that is known, or by its error's words. */
function isOfGroup({ nodegroupName: asked, update }: Update, group: string): boolean {
  if (asked) return asked === group;
  return (update?.errors ?? []).some(({ errorMessage }) =>
    errorMessage?.endsWith(` node group ${group}`),
  );
}

/** The last update of a group's version; other updates leave its nodes as they are. */
function lastUpdate(view: Own, group: string): VersionUpdate | undefined {
  return view
    .list('aws/update')
    .filter(({ value }) => isOfGroup(value, group))
    .filter(({ value }) => value.update?.type === 'VersionUpdate')
    .map((fact) => ({
      fact,
      status: fact.value.update?.status ?? '',
      createdAt: fact.value.update?.createdAt ?? '',
    }))
    .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))[0];
}

interface Wanted {
  readonly field: 'version' | 'releaseVersion';
  readonly value: string;
}

/** What the update was to bring the group to; null where it does not say. */
function wantedBy({ fact }: VersionUpdate): Wanted | null {
  const params = fact.value.update?.params ?? [];
  for (const [type, field] of [
    ['Version', 'version'],
    ['ReleaseVersion', 'releaseVersion'],
  ] as const) {
    const value = params.find((param) => param.type === type)?.value;
    if (value) return { field, value };
  }
  return null;
}

function matchUpdates(view: Own): Match | null {
  const groups = view.list('aws/node-group');
  let isRead = false;
  for (const group of groups) {
    const last = lastUpdate(view, group.value.nodegroupName ?? '');
    isRead ||= last !== undefined;
    const match = last?.status === 'Failed' ? foundFor(view, group, last) : null;
    if (match !== null) return match;
  }
  if (isRead) return clear;
  const degraded = groups.find(({ value }) => value.status === 'DEGRADED');
  return degraded === undefined ? null : unread(degraded.value);
}

function unread(group: NodeGroup): Match {
  const name = group.nodegroupName ?? '<node-group>';
  return cannotSay({
    reason: 'not-collected',
    detail: `how the last update of the node group ${name} ended`,
    collect: `aws eks list-updates --name ${group.clusterName ?? '<cluster>'} --nodegroup-name ${name}`,
  });
}

/** Null where the group is at the wanted version all the same: somebody came by another way. */
function foundFor(view: Own, group: Seen<NodeGroup>, last: VersionUpdate): Match | null {
  const wanted = wantedBy(last);
  const version = group.value[wanted?.field ?? 'version'] ?? '';
  const [error] = last.fact.value.update?.errors ?? [];
  if (wanted === null || error === undefined || version === '' || version === wanted.value)
    return null;
  const name = group.value.nodegroupName ?? '';
  const [code, message] = [error.errorCode ?? '', error.errorMessage ?? ''];
  const id = last.fact.value.update?.id ?? '';
  const cluster = group.value.clusterName ?? '<cluster>';
  const details = { group: name, cluster, code, message, wanted: wanted.value, version };
  const proof = [
    view.quote(
      last.fact,
      `update ${id} of ${last.createdAt} to ${wanted.value}: Failed ${code} ${message}`,
    ),
    view.quote(group, `node group ${name} ${wanted.field} ${version}`),
  ];
  const nodes = view
    .everywhere('kube/Node')
    .filter(({ value }) => value.labels[GROUP_LABEL] === name);
  const machines = nodes.map(({ value }) => value.name);
  return machines.length === 0
    ? found(details, proof)
    : found(details, proof, 'definite', machines);
}
