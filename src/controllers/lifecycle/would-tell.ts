import type { WhyUnknown } from '../../evidence/fact.ts';
import { type LifecycleFacts, type ListName, unreadOf } from './facts.ts';
import type { WouldTell } from './happening.ts';

/** What could be read of that which tells who deletes Nodes. */
export interface Reach {
  readonly areEventsRead: boolean;
  readonly unread: readonly (readonly [ListName, WhyUnknown])[];
}

const TELLING = ['audits', 'events', 'instances', 'claims', 'trail'] as const;

export function reachOf(facts: LifecycleFacts): Reach {
  const unread = TELLING.flatMap((list) => {
    const why = unreadOf(facts, list);
    return why === null ? [] : [[list, why] as const];
  });
  return { areEventsRead: facts.events.unread === null, unread };
}

const AUDIT: WouldTell = {
  text: 'The audit log of the API server names the user of each deletion: enable it and allow logs:FilterLogEvents.',
  command: `aws logs filter-log-events --log-group-name /aws/eks/<cluster>/cluster --log-stream-name-prefix kube-apiserver-audit --filter-pattern '{ $.verb = "delete" && $.objectRef.resource = "nodes" }'`,
};

const TRAIL: WouldTell = {
  text: 'CloudTrail names who terminated the instance: allow cloudtrail:LookupEvents.',
  command:
    "aws cloudtrail lookup-events --lookup-attributes AttributeKey=EventName,AttributeValue=TerminateInstances --query 'Events[].[EventTime,Username]'",
};

const BY_LIST: Readonly<Record<string, WouldTell>> = {
  audits: AUDIT,
  trail: TRAIL,
  events: {
    text: 'The cloud controller, Karpenter and Cluster Autoscaler say in Events what they delete: allow list and watch of events.',
    command: 'kubectl get events -A --field-selector involvedObject.kind=Node',
  },
  instances: {
    text: 'EC2 shows whether the instance ended, and why: allow ec2:DescribeInstances.',
    command: 'aws ec2 describe-instances',
  },
  claims: {
    text: 'NodeClaims show what Karpenter disrupts: allow list and watch of nodeclaims.karpenter.sh.',
    command: 'kubectl get nodeclaims -o yaml',
  },
};

const READ_TOO_LATE =
  'Nothing that was read names who deleted it: look in the audit log for requests of that minute by another user, and ask whether etcd was restored from a backup.';

/**
 * What would have told: the sources that were not read, and the audit log where all were.
 *
 * @param mayHaveEnded false for an instance that runs, of which CloudTrail tells nothing
 */
export function wouldTellOf({ unread }: Reach, mayHaveEnded: boolean): readonly WouldTell[] {
  const telling = unread.filter(([list]) => mayHaveEnded || list !== 'trail');
  const missing = telling.flatMap(([list]) => BY_LIST[list] ?? []);
  return missing.length === 0 ? [{ ...AUDIT, text: READ_TOO_LATE }] : missing;
}
