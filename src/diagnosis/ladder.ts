import type { Quote } from '../evidence/sighting.ts';
import { type Stage, STAGES, stageIndex } from '../evidence/stage.ts';
import { isAfter, isoTime } from '../evidence/time.ts';
import type { EvidenceLine, NotObservable, Rung, Verdict } from './document.ts';
import { MILESTONES } from './milestones.ts';
import { passedByFacts } from './passing.ts';
import type { Subject } from './subject.ts';

/** A stage seen to fail, with the lines that show it. */
export interface Failure {
  readonly stage: Stage;
  readonly proof: readonly Quote[];
}

export function evidenceLine(quote: Quote): EvidenceLine {
  return {
    source: quote.source,
    locator: quote.locator,
    excerpt: quote.excerpt,
    time: isoTime(quote.moment.when),
  };
}

function proofOfPassing(subject: Subject): ReadonlyMap<Stage, Quote> {
  const passed = new Map<Stage, Quote>(passedByFacts(subject));
  for (const milestone of MILESTONES) {
    const hits = subject.hits.filter((hit) => hit.owner === `milestone:${milestone.id}`);
    for (const hit of hits) {
      for (const stage of milestone.proves) {
        const known = passed.get(stage);
        if (known === undefined || isAfter(known.moment, hit.first.moment))
          passed.set(stage, hit.first);
      }
    }
  }
  return passed;
}

/** The eleven rungs of one subject, from what was seen to succeed and to fail. */
export function buildLadder(
  subject: Subject,
  failures: readonly Failure[],
  isPending: boolean,
): readonly Rung[] {
  const passed = proofOfPassing(subject);
  let pendingLeft = isPending;
  return STAGES.map((stage): Rung => {
    const failure = failures.find((entry) => entry.stage === stage);
    if (failure !== undefined) return rung(stage, 'failed', failure.proof);
    const proof = passed.get(stage);
    if (proof !== undefined) return rung(stage, 'passed', [proof]);
    const state =
      pendingLeft && stageIndex(stage) >= stageIndex('registered') ? 'pending' : 'unknown';
    if (state === 'pending') pendingLeft = false;
    return rung(stage, state, []);
  });
}

function rung(stage: Stage, state: Rung['state'], proof: readonly Quote[]): Rung {
  const since = proof[0] === undefined ? null : isoTime(proof[0].moment.when);
  return { stage, state, since, evidence: proof.slice(0, 3).map(evidenceLine) };
}

/** Where the machine stands: the first failed stage, else the first pending, else the first unknown. */
export function stageOf(ladder: readonly Rung[]): Stage | null {
  for (const state of ['failed', 'pending', 'unknown'] as const) {
    const first = ladder.find((entry) => entry.state === state);
    if (first !== undefined) return first.stage;
  }
  return null;
}

export function verdictOf(ladder: readonly Rung[]): Verdict {
  if (ladder.some((entry) => entry.state === 'failed')) return 'not-usable';
  return ladder.every((entry) => entry.state === 'passed') ? 'usable' : 'cannot-tell';
}

/** What shows a stage, for those that nothing in the evidence shows. */
const COLLECT: Readonly<Record<Stage, readonly [why: string, collect: string]>> = {
  launched: [
    'no EC2 instance state',
    'aws ec2 describe-instance-status --include-all-instances --instance-ids <instance>',
  ],
  bootstrapped: [
    'no boot log',
    'sudo cat /var/log/cloud-init-output.log; journalctl -u nodeadm-config -u nodeadm-run --no-pager',
  ],
  reachable: [
    'no kubelet log that shows an answer of the API server',
    'journalctl -u kubelet --no-pager -o short-iso | tail -n 2000',
  ],
  authenticated: [
    'no kubelet log after start',
    'journalctl -u kubelet --no-pager -o short-iso | tail -n 2000',
  ],
  identified: [
    "the Node's and EC2's names are not both here",
    'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].[InstanceId,PrivateDnsName]',
  ],
  registered: ['no list of Nodes', 'kubectl get nodes -o wide'],
  retained: [
    'no Node with its uid and events',
    'kubectl get node <node> -o yaml; kubectl get events -A --field-selector involvedObject.kind=Node',
  ],
  networked: ['no Node conditions or pod states', 'kubectl describe node <node>'],
  credentialed: [
    'no pod was seen to use its AWS identity',
    'kubectl get pods -A -o json --field-selector spec.nodeName=<node>',
  ],
  gated: [
    'no taints or readiness gates of the Node',
    'kubectl get node <node> -o jsonpath={.spec.taints}',
  ],
  usable: [
    'no workload pod was seen on it',
    'kubectl get pods -A -o wide --field-selector spec.nodeName=<node>',
  ],
};

/** For each stage that could not be seen: why, and the read-only command that would show it. */
export function notObservableOf(
  ladder: readonly Rung[],
  subject: Subject,
): readonly NotObservable[] {
  return ladder
    .filter((entry) => entry.state === 'unknown')
    .map((entry) => {
      const [why, collect] = COLLECT[entry.stage];
      return { stage: entry.stage, why, collect: fillNames(collect, subject) };
    });
}

/** Placeholders that the name of a group fills, by what kind of group it is. */
const GROUP_PLACEHOLDERS: Readonly<Record<Subject['kind'], readonly string[]>> = {
  Machine: [],
  Cluster: [],
  NodeGroup: ['<node-group>'],
  AutoScalingGroup: ['<auto-scaling-group>', '<group>'],
  NodePool: ['<node-pool>'],
};

/** Puts the subject's own names into a command's placeholders. */
export function fillNames(command: string, subject: Subject): string {
  const { kind, name, instanceId, node, cluster } = subject;
  const known: readonly (readonly [placeholder: string, name: string | null])[] = [
    ['<instance>', instanceId],
    ['<node>', node],
    ['<cluster>', cluster],
    ...GROUP_PLACEHOLDERS[kind].map((placeholder) => [placeholder, name] as const),
  ];
  return known.reduce(
    (text, [placeholder, value]) => (value === null ? text : text.replaceAll(placeholder, value)),
    command,
  );
}
