import { textAt } from '../../evidence/json.ts';
import type { Stage } from '../faults/contract.ts';
import { isControlPlane } from '../faults/targets.ts';
import type { Marks } from '../marks/marks.ts';
import { comingTruth, crowdedTruth, refusedTruth, unplacedTruth } from '../oracle/moments.ts';
import type { Truths } from '../oracle/truths.ts';

/** What a world does by itself, as its maker sees it. */
export interface Course {
  /** Machines that have had a Node. */
  readonly joins: () => number;
}

/** What is true of a machine whose Node was deleted while it runs, whoever did it. */
const DELETED = [
  'node-deleted-as-not-in-cloud',
  'instance-not-yet-visible-in-ec2',
  'no-reregistration-after-deletion',
];

/** Faults by which people take a Node away, or what was before it comes back. */
const BY_PEOPLE = /^F(?:13|23|38)\./;

/** Between a deletion and its being heard of, ms. */
const SAME_MOMENT_MS = 1000;

const CONTROLLERS = new Set(['1.29', '1.34', '1.37']);

/** Follows Nodes and Pods; each change costs one look at one machine. */
export function followCourse(
  stage: Stage,
  { truths, marks }: { readonly truths: Truths; readonly marks: Marks },
): Course {
  const { town, people } = stage;
  const joined = new Set<string>();
  const gone = new Set<string>();
  people.follow('Node', (type, node) => {
    const name = textAt(node, 'metadata.name') ?? '';
    const machine = town.yard.machineOfNode(name);
    if (machine === null) return;
    const { instanceId } = machine;
    if (type === 'ADDED' && gone.delete(instanceId)) marks.reach('node-came-back');
    if (type === 'ADDED') {
      joined.add(instanceId);
      truths.add(comingTruth(stage, instanceId, town.kernel.nowMs()));
    }
    if (type !== 'DELETED') return;
    gone.add(instanceId);
    if (machine.unit('kubelet') === 'running') marks.reach('node-deleted-while-kubelet-runs');
    // A machine that stands still is still one that the cloud controller should have found.
    if (town.cloud.instance(instanceId)?.state !== 'running') return;
    const nowMs = town.kernel.nowMs();
    const isByPeople = truths
      .of(instanceId, nowMs)
      .some(({ of, fromMs }) => BY_PEOPLE.test(of) && nowMs - fromMs < SAME_MOMENT_MS);
    if (!isByPeople) addDeleted(stage, truths, instanceId);
  });
  const told = new Set<string>();
  people.follow('Pod', (type, pod) => {
    const uid = textAt(pod, 'metadata.uid') ?? '';
    if (type === 'DELETED' || told.has(uid)) return;
    const truth = unplacedTruth(stage, pod) ?? refusedTruth(stage, pod) ?? crowdedTruth(stage, pod);
    if (truth === null) return;
    told.add(uid);
    truths.add(truth);
  });
  // Machines of the control plane were there before, and may have lost their Node by now.
  for (const machine of town.yard.machines()) {
    const name = machine.nodeName();
    if (name !== null && people.get('Node', name) === null)
      addDeleted(stage, truths, machine.instanceId);
  }
  return { joins: () => joined.size };
}

function addDeleted(stage: Stage, truths: Truths, instanceId: string): void {
  const { town } = stage;
  const fromMs = town.kernel.nowMs();
  if (!CONTROLLERS.has(town.setting.cluster.cloudController)) return;
  truths.add({ causes: DELETED, machines: [instanceId], of: 'course', fromMs });
  // Its pods go with its Node, and the cloud controller is one of them.
  const causes = ['no-cloud-controller-manager'];
  if (isControlPlane(stage, instanceId))
    truths.add({ causes, machines: null, of: 'course', fromMs });
}
