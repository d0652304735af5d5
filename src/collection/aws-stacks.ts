import type { Instance } from '../evidence/aws/instance.ts';
import type { AutoScalingGroup } from '../evidence/aws/groups.ts';
import { type Json, type JsonObject, listAt, textAt } from '../evidence/json.ts';
import { isoMs } from '../evidence/time.ts';
import type { Ask } from './asking.ts';

/** Stacks whose events are read at most, the newest first. */
const STACKS_MAX = 5;
/** What changed longer ago than this is history, ms. */
const RECENT_MS = 86_400_000;

const STATES = [
  'CREATE_IN_PROGRESS',
  'CREATE_FAILED',
  'ROLLBACK_IN_PROGRESS',
  'ROLLBACK_FAILED',
  'ROLLBACK_COMPLETE',
  'UPDATE_IN_PROGRESS',
  'UPDATE_FAILED',
  'UPDATE_ROLLBACK_IN_PROGRESS',
  'UPDATE_ROLLBACK_FAILED',
  'UPDATE_ROLLBACK_COMPLETE',
  'DELETE_FAILED',
] as const;

/** What shows, by its tags, which stacks made the cluster. */
export interface StackOwners {
  readonly cluster: string;
  readonly groups: readonly AutoScalingGroup[];
  readonly instances: readonly Instance[];
  /** Of the EKS cluster. */
  readonly description: readonly JsonObject[];
  readonly nowMs: number;
}

/** Events of the cluster's stacks that failed or are under way, where it was made by stacks. */
export async function askStacks(ask: Ask, owners: StackOwners): Promise<void> {
  const known = stacksOf(owners);
  if (known.size === 0) return;
  const answers = await ask({
    service: 'cloudformation',
    operation: 'ListStacks',
    input: { StackStatusFilter: [...STATES] },
  });
  const stacks = answers
    .flatMap((answer) => listAt(answer, 'StackSummaries'))
    .filter((stack) => isOfCluster(textAt(stack, 'StackName') ?? '', known, owners.cluster))
    .filter((stack) => owners.nowMs - changedMs(stack) < RECENT_MS)
    .toSorted((a, b) => changedMs(b) - changedMs(a));
  await Promise.all(
    ask.first(stacks, STACKS_MAX, 'CloudFormation stacks').map((stack) =>
      ask({
        service: 'cloudformation',
        operation: 'DescribeStackEvents',
        input: { StackName: textAt(stack, 'StackName') ?? '' },
        pagesMax: 1,
      }),
    ),
  );
}

const STACK_TAG = 'aws:cloudformation:stack-name';

function stacksOf({ groups, instances, description }: StackOwners): ReadonlySet<string> {
  const tagged = [...groups, ...instances].flatMap((resource) =>
    (resource.Tags ?? []).filter((tag) => tag.Key === STACK_TAG).map((tag) => tag.Value ?? ''),
  );
  const ofCluster = description.map((answer) => textAt(answer, `cluster.tags.${STACK_TAG}`) ?? '');
  return new Set([...tagged, ...ofCluster].filter((name) => name !== ''));
}

/** A stack that was rolled back left nothing that is tagged; eksctl's are known by their names. */
function isOfCluster(name: string, known: ReadonlySet<string>, cluster: string): boolean {
  return known.has(name) || name.startsWith(`eksctl-${cluster}-nodegroup-`);
}

function changedMs(stack: Json): number {
  const at = textAt(stack, 'LastUpdatedTime') ?? textAt(stack, 'CreationTime') ?? '';
  return isoMs(at) ?? 0;
}
