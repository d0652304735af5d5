import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** Karpenter holds the node back until a registration hook has said yes. */
const cause = defineCause({
  id: 'karpenter-registration-hook-pending',
  stage: 'gated',
  title: 'a registration hook of Karpenter is still pending for the node',
  scope: 'machine',
  signs: {
    pending: likely(
      ['node-claim', 'karpenter', 'object', 'event'],
      /(?:NodeClaim (?<claim>[a-z0-9.-]+) condition Registered=\w+ )?RegistrationHookPending(?: (?<hooks>[^\n]{1,200}))?/,
    ),
    toldHook: context(
      ['client-output', 'unknown'],
      /(?<!message: ['"])\b(?:[Rr]egistration|[Ll]ifecycle|[Oo]ne|[Tt]he|[Aa]|[Oo]ur) (?:\w{1,20} )?hooks?\b.{0,60}\b(?:not (?:done|finished|complete[d]?|ready|answered)|pending|never (?:completes?|finishes|answers?|returns?)|waits?|waiting|answers? 5\d\d)\b/,
      { isTold: true, isBackground: true, anchors: [' hook'] },
    ),
    toldUnregistered: context(
      ['client-output', 'unknown', 'node-claim'],
      /(?<!type: )\bRegistered\b.{0,20}\b(?:Unknown|False)\b|\bkarpenter\.sh\/unregistered\b/,
      { isTold: true, isBackground: true, anchors: ['Registered', 'karpenter.sh/unregistered'] },
    ),
    hookFailed: context(['karpenter'], /registration hook [\w-]{1,60} failed/),
  },
  needs: [],
  symptoms: ['node-object-missing'],
  summary: ({ machine, claim, hooks }) =>
    sentence`The node ${machine ?? claim} has joined, but Karpenter keeps the taint karpenter.sh/unregistered on it until a registration hook answers${hooks === undefined ? '' : ` (${hooks.trim()})`}.`,
  remedy: () => [
    step(
      'Read which hook is meant, and what Karpenter logs about it.',
      'kubectl -n kube-system logs -l app.kubernetes.io/name=karpenter --tail=2000 | grep -i hook',
    ),
    step(
      'Look at the controller that answers this hook.',
      'kubectl get nodeclaims -o custom-columns=\'NAME:.metadata.name,WHY:.status.conditions[?(@.type=="Registered")].message\'',
    ),
  ],
  decide: step('Read why the claim is not registered.', 'kubectl get nodeclaims -o json'),
  page: {
    why: 'Newer Karpenter lets providers run hooks before a node is taken as registered. While one is pending the unregistered taint stays, and after 15 minutes the claim is deleted.',
    prevent: 'Watch the hook’s own component like any other admission path.',
    notThis:
      'The Node exists; without a Node the reason is NodeNotFound. A Node without the taint is unregistered-taint-missing.',
    refs: [
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/nodeclaim/lifecycle/registration.go',
    ],
  },
});

/** A person sees that the claim waits for a hook, and that its node is not taken as registered. */
export default matched(cause, (view) => {
  const [hook, unregistered] = [view.sign('toldHook'), view.sign('toldUnregistered')];
  if (hook === null || unregistered === null || view.isLive) return null;
  return found({}, [hook.last, unregistered.last], 'likely');
});
