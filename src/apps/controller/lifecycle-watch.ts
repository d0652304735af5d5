import type { ResidentListener } from '../../collection/resident/listener.ts';
import type { Standing } from '../../collection/resident/resident.ts';
import { isClue } from '../../controllers/lifecycle/clues.ts';
import { decide, type Decision } from '../../controllers/lifecycle/decide.ts';
import {
  complete,
  incomplete,
  type LifecycleFacts,
  type Listed,
} from '../../controllers/lifecycle/facts.ts';
import { type LifecycleMemory, NOTHING_KNOWN } from '../../controllers/lifecycle/memory.ts';
import { allAsSeen } from '../../diagnosis/fact-index.ts';
import type { MachineNews } from '../../evidence/aws/machine-news.ts';
import { factsByKind } from '../../evidence/fact-values.ts';
import { seen, type Seen, type WhyUnknown } from '../../evidence/fact.ts';
import type { FactKind, FactTypes } from '../../evidence/kinds.ts';
import type { FactRecord, Observations } from '../../evidence/observations.ts';
import type { KubeEvent } from '../../evidence/kube/event.ts';
import { projectEvent } from '../../readers/kube/event.ts';

const NOT_LISTED: WhyUnknown = {
  reason: 'not-collected',
  detail: 'the list is not complete',
  collect: 'rollcall diagnose',
};

const NOT_ASKED: WhyUnknown = {
  reason: 'not-collected',
  detail: 'the controller does not ask for it',
  collect: 'rollcall diagnose --control-plane-logs',
};

const EVENTS_MAX = 10_000;

interface Known {
  readonly byKind: ReadonlyMap<FactKind, readonly FactRecord[]>;
  readonly complete: ReadonlySet<FactKind>;
}

function listed<K extends FactKind>(
  { byKind, complete: all }: Known,
  kind: K,
): Listed<FactTypes[K]> {
  const records = (byKind.get(kind) ?? []) as unknown as readonly FactRecord<K>[];
  const items = allAsSeen(records);
  return all.has(kind) ? complete(items) : incomplete(NOT_LISTED, items);
}

/** AWS has no mark of a complete list: what a round said stands where the call was answered. */
function answered<K extends FactKind>(
  { byKind }: Known,
  kind: K,
  isAsked: boolean,
): Listed<FactTypes[K]> {
  const records = (byKind.get(kind) ?? []) as unknown as readonly FactRecord<K>[];
  const items = allAsSeen(records);
  return isAsked ? complete(items) : incomplete(NOT_LISTED, items);
}

function wasRefused({ collection }: Observations, call: string): boolean {
  return collection?.refusals.some((refusal) => refusal.call === call) === true;
}

/** What happens to machines, by what a resident hears and judges. */
export class LifecycleWatch {
  /** Those that tell why a Node goes; of too many the ones that came last. */
  readonly #events = new Map<string, Seen<KubeEvent>>();
  #news: Seen<MachineNews>[] = [];
  #memory: LifecycleMemory = NOTHING_KNOWN;
  #isUnbroken = false;

  /** Hears the Events, which are no facts of a look. */
  readonly listener: ResidentListener = {
    keep: (kind, object) => (kind === 'Event' ? object : null),
    came: (_, key, object) => this.#hear(key, projectEvent(object)),
    went: (_, key) => void this.#events.delete(key),
    round: () => undefined,
    reported: (news) => {
      const heard = news.slice(0, EVENTS_MAX - this.#news.length);
      this.#news.push(...heard.map((one) => seen(one, 'EventBridge', `event ${one.id}`)));
    },
  };

  /** What happened since the last standing. */
  take(standing: Standing, hasAws: boolean): Decision {
    const decision = decide(this.#memory, this.#factsOf(standing, hasAws));
    this.#memory = decision.memory;
    this.#news = [];
    return decision;
  }

  #hear(key: string, event: KubeEvent): void {
    this.#events.delete(key);
    if (!isClue(event)) return;
    const [oldest] = this.#events.keys();
    if (this.#events.size >= EVENTS_MAX && oldest !== undefined) this.#events.delete(oldest);
    this.#events.set(key, seen(event, 'kubectl get events -A', `Event/${key}`));
  }

  #factsOf({ observations, nowMs }: Standing, hasAws: boolean): LifecycleFacts {
    const whole = new Set(observations.listings.map(({ kind }) => kind));
    const known: Known = { byKind: factsByKind(observations.facts), complete: whole };
    const nodes = listed(known, 'kube/Node');
    const isUnbroken = this.#isUnbroken && nodes.unread === null;
    this.#isUnbroken = nodes.unread === null;
    const isAnswered = (call: string): boolean => hasAws && !wasRefused(observations, call);
    const events = [...this.#events.values()];
    return {
      nowMs,
      isUnbroken,
      nodes,
      leases: listed(known, 'kube/Lease'),
      claims: listed(known, 'kube/NodeClaim'),
      pods: listed(known, 'kube/Pod'),
      events: wasRefused(observations, 'list events')
        ? incomplete(NOT_LISTED, events)
        : complete(events),
      clusters: answered(known, 'aws/cluster', isAnswered('eks:DescribeCluster')),
      instances: answered(known, 'aws/instance', isAnswered('ec2:DescribeInstances')),
      statuses: answered(known, 'aws/instance-status', isAnswered('ec2:DescribeInstanceStatus')),
      activities: answered(
        known,
        'aws/scaling-activity',
        isAnswered('autoscaling:DescribeScalingActivities'),
      ),
      updates: answered(known, 'aws/update', isAnswered('eks:DescribeUpdate')),
      audits: incomplete(NOT_ASKED),
      trail: answered(known, 'aws/trail-event', false),
      news: this.#news,
    };
  }
}
