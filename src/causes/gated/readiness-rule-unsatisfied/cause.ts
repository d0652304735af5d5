import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { KubeNode, KubeTaint } from '../../../evidence/kinds.ts';
import { isTaintOfRule, unmetCondition } from '../../../domain/nodes/readiness-rules.ts';

const PREFIX = 'readiness.k8s.io/';
/** Reporters of conditions are pods too, and need some minutes on a new node. */
const YOUNG_MS = 180_000;

/** A NodeReadinessRule keeps its taint on the node because a condition it wants is not reported. */
const cause = defineCause({
  id: 'readiness-rule-unsatisfied',
  stage: 'gated',
  title: 'a NodeReadinessRule waits for a node condition that is not there',
  scope: 'machine',
  signs: {
    // What the controller writes at each look: on a young node the reporter is still to come.
    evaluated: likely(
      ['pod-app', 'client-output'],
      /Condition evaluation"?[,\s].{0,400}"node": ?"(?<node>[\w.-]{1,253})".{0,200}"rule": ?"(?<rule>[\w.-]{1,253})".{0,200}"conditionType": ?"(?<type>[^"]{1,316})", ?"observed": ?"(?<is>\w{0,20})", ?"required": ?"(?<wanted>\w{1,20})", ?"satisfied": ?false/,
      { anchors: ['Condition evaluation'], atLeast: 3, enoughOnce: 'end' },
    ),
    evaluatedAsText: likely(
      ['pod-app', 'client-output'],
      /"Condition evaluation".{0,400} node="(?<node>[\w.-]{1,253})".{0,200} rule="(?<rule>[\w.-]{1,253})".{0,200} conditionType="(?<type>[^"]{1,316})" observed="(?<is>\w{0,20})" required="(?<wanted>\w{1,20})" satisfied=false/,
      { anchors: ['Condition evaluation'], atLeast: 3, enoughOnce: 'end' },
    ),
    heldBack: likely(
      ['pod-app', 'client-output'],
      /Evaluation result"?[,\s].{0,200}"node": ?"(?<node>[\w.-]{1,253})", ?"rule": ?"(?<rule>[\w.-]{1,253})", ?"allConditionsSatisfied": ?false, ?"hasTaint": ?true/,
      { anchors: ['Evaluation result'], atLeast: 3, enoughOnce: 'end' },
    ),
    // What the status of a rule says of each node.
    inStatus: context(
      ['object'],
      /NodeReadinessRule (?<rule>[\w.-]{1,253}) holds its taint on Node (?<node>[\w.-]{1,253}): condition (?<type>[^=\s]{1,316})=(?<is>\w{1,20}), required (?<wanted>\w{1,20})/,
    ),
  },
  needs: ['kube/Node', 'kube/NodeReadinessRule'],
  symptoms: ['pod-not-scheduled'],
  explains: ['startup-taint-not-removed'],
  summary: ({ node, rule, type, wanted, is, nobody }) =>
    type === undefined
      ? sentence`The rule ${rule} keeps its taint on ${node ?? 'the node'}: not all of the conditions that it wants are as it wants them.`
      : sentence`The rule ${rule} keeps its taint on ${node ?? 'the node'}: it wants the condition ${type}=${wanted ?? 'True'}, and the node ${is === 'absent' ? (nobody === undefined ? 'does not report it at all' : `does not report it, nor does any of the ${nobody} Nodes`) : `reports ${is ?? 'another value'}`}.`,
  remedy: ({ rule, type, is, node }) => [
    is === 'absent'
      ? step(
          'Find the reporter of this condition (node problem detector, an agent’s sidecar) and start it on the node.',
          `kubectl get pods -A -o wide --field-selector spec.nodeName=${node ?? '<node>'}`,
        )
      : step(
          'Read the reporter’s reason; the node says itself what is not ready.',
          `kubectl get node ${node ?? '<node>'} -o jsonpath='{.status.conditions[?(@.type=="${type ?? '<condition>'}")]}'`,
        ),
    step(
      'If the rule asks too much, let it only watch.',
      `kubectl patch nodereadinessrule ${rule ?? '<rule>'} --type=merge -p '{"spec":{"dryRun":true}}'`,
    ),
  ],
  decide: step(
    'Compare what the rules want with what the node reports.',
    'kubectl get nodereadinessrules -o json; kubectl get node <node> -o json',
  ),
  page: {
    why: 'The node readiness controller removes a rule’s taint only when every condition the rule names has the wanted status. It does not look at the agents itself: a reporter that does not run, or writes another name, keeps the node shut.',
    prevent: 'Roll out reporters before rules; start rules with dryRun.',
    notThis:
      'When the condition is as wanted and the taint stays, the controller does not work: gate-controller-down.',
    refs: ['https://github.com/kubernetes-sigs/node-readiness-controller'],
  },
});

export default matched(cause, matchRule);

type Own = ViewOf<typeof cause>;

function matchRule(view: Own): Match | null {
  const node = view.read('kube/Node');
  // A part of a Node may lack what the Node itself has.
  if (node.state !== 'seen' || node.value.conditions.length === 0) return matchTold(view);
  const taints = (node.value.taints ?? []).filter(({ key }) => key.startsWith(PREFIX));
  if (taints.length === 0 || isYoung(node.value, view.nowMs)) return null;
  const ruled: KubeTaint[] = [];
  for (const rule of view.list('kube/NodeReadinessRule')) {
    const taint = taints.find((entry) => isTaintOfRule(rule.value, entry));
    if (taint !== undefined) ruled.push(taint);
    const unmet = taint === undefined ? null : unmetCondition(rule.value, node.value);
    if (taint === undefined || unmet === null) continue;
    const proof = [
      view.quote(node, `Node ${node.value.name} taint ${taint.key}`),
      view.quote(
        rule,
        `NodeReadinessRule ${rule.value.name} wants ${unmet.type}=${unmet.wanted}, the Node has ${unmet.is}`,
      ),
    ];
    const others = view.everywhere('kube/Node');
    const isNobodys =
      unmet.is === 'absent' &&
      others.length > 1 &&
      others.every(({ value }) => value.conditions.every(({ type }) => type !== unmet.type));
    const nobody = isNobodys ? { nobody: String(others.length) } : {};
    return found({ node: node.value.name, rule: rule.value.name, ...unmet, ...nobody }, proof);
  }
  // Every taint of a rule is there with its conditions met, so that it goes next.
  return taints.length > 0 && taints.every((taint) => ruled.includes(taint)) ? clear : null;
}

/** The controller writes what it found at its last look, which of a Node seen whole may be over. */
function matchTold(view: Own): Match | null {
  const told = view.sign('inStatus')?.last;
  return told === undefined || view.isLive ? null : found(told.captures, [told], 'likely');
}

function isYoung(node: KubeNode, nowMs: number | null): boolean {
  return nowMs !== null && node.createdMs !== null && nowMs - node.createdMs < YOUNG_MS;
}
