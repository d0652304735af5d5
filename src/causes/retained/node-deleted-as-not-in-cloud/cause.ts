import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';
import { hasEc2Domain } from '../../../evidence/names.ts';
import type { Quote, Sighting } from '../../../evidence/sighting.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';

/** A deletion this soon after the registration hits a machine that has just come, not one that went. */
const AFTER_REGISTRATION_MAX_MS = 120_000;

/** The cloud controller asked EC2 for the Node's instance, was told there is none, and deleted the Node. */
const cause = defineCause({
  id: 'node-deleted-as-not-in-cloud',
  stage: 'retained',
  title: 'the cloud controller deleted the Node because it found no instance for it',
  scope: 'machine',
  signs: {
    deletedOld: context(
      ['event', 'controller-manager', 'cloud-controller', 'kubelet', 'client-output'],
      /Deleting [Nn]ode (?:\(no longer present in cloud provider\): (?<node>[a-z0-9][a-z0-9.-]*)|(?:(?<node2>[a-z0-9][a-z0-9.-]*)|\S+) because it's not present according to cloud provider)/,
    ),
    deletedNew: context(
      ['event', 'controller-manager', 'cloud-controller', 'kubelet', 'client-output'],
      /[Dd]eleting node (?<node>[a-z0-9][a-z0-9.-]*) because it does not exist in the cloud provider/,
    ),
    deletedLog: context(
      ['controller-manager', 'cloud-controller', 'kubelet', 'client-output'],
      /[Dd]eleting node (?:since it is |\()?no longer present in cloud provider\)?"?:? (?:node=)?"?(?<node>[a-z0-9][a-z0-9.-]*)/,
    ),
    kubeletLostNode: context(
      ['kubelet'],
      /Error updating node status, will retry.*error getting node "(?<node>[^"\s]+)".*not found/,
    ),
    kubeletRegistered: context(
      ['kubelet'],
      /Successfully registered node|was previously registered/,
    ),
    registeredInController: context(
      ['event', 'controller-manager', 'kubelet', 'client-output'],
      /Registered Node (?<node>[a-z0-9][a-z0-9.-]*) in (?:Node)?Controller/,
    ),
    wentBefore: context(
      ['event', 'controller-manager', 'kubelet', 'client-output'],
      /Node (?<node>[a-z0-9][a-z0-9.-]*) status is now: NodeNot(?:Ready|Schedulable)/,
    ),
    gone: context(
      ['cloud-controller', 'controller-manager'],
      /the instance i-[0-9a-f]{8,17} (?:does not exist any ?more|has nil state)/,
      { anchors: ['the instance i-'] },
    ),
  },
  needs: ['aws/instance'],
  symptoms: ['node-object-deleted'],
  withdrawnBy: ['node-ready'],
  explains: [
    'no-reregistration-after-deletion',
    'node-heartbeat-lost',
    'node-deleted-by-other-actor',
  ],
  summary: ({ node, foreign, instance, ec2Name }) =>
    `The cloud controller found no EC2 instance for the Node ${node ?? 'in question'} and deleted it${foreign === undefined ? '' : ', whose name is not one that EC2 gives'}${ec2Name === undefined ? '' : `, while ${instance ?? 'the instance'} runs as ${ec2Name}`}; the kubelet keeps running without a Node and does not register again by itself.`,
  remedy: ({ node }) => [
    step(
      'Bring the Node back: a kubelet registers once per start.',
      'sudo systemctl restart kubelet',
    ),
    step(
      'Keep it from happening again: the name must be the EC2 private DNS name, or the kubelet must carry its instance id (--provider-id=aws:///<zone>/<instance>).',
      `aws ec2 describe-instances --filters Name=private-dns-name,Values=${node ?? '<node>'} --query Reservations[].Instances[].[InstanceId,PrivateDnsName,State.Name]`,
    ),
    step(
      'In custom user data start the kubelet after the host name is set and the control plane answers, with the CNI at hand: only a Node that is not Ready is ever deleted.',
      'until curl -ksf https://<api-server>:6443/healthz; do sleep 2; done; sudo hostnamectl set-hostname "$(curl -s http://169.254.169.254/latest/meta-data/local-hostname)"',
    ),
  ],
  decide: step(
    'Read why the controller thinks so, and whether the instance is there.',
    'kubectl get events -A --field-selector involvedObject.kind=Node -o json; aws ec2 describe-instances --instance-ids <instance>',
  ),
  reason: step(
    'Compare the Node’s name with the one that EC2 has, and see whether the instance runs.',
    'aws ec2 describe-instances --instance-ids <instance>',
  ),
  page: {
    why: 'Every few seconds the cloud controller asks EC2 about each Node that is not Ready. When the name or the providerID matches no running instance, it deletes the Node. A machine between its registration and its CNI being ready is exactly such a Node; one that was Ready first stays.',
    prevent:
      'Let kubelets carry --provider-id, keep host names equal to private DNS names, and bring the cloud controller up before the workers.',
    notThis:
      'A terminated instance loses its Node in the same words, rightly: instance-stopped-or-terminated. A running instance with the right name is instance-not-yet-visible-in-ec2; without cluster tag and an old controller, untagged-instance-filtered-out; short names are hostname-without-domain.',
    alsoKnownAs: [
      'DeletingNode',
      "because it's not present according to cloud provider",
      'no longer present in cloud provider',
    ],
    refs: [
      'https://github.com/kubernetes/cloud-provider/blob/HEAD/controllers/nodelifecycle/node_lifecycle_controller.go',
      'https://github.com/kubernetes/kubernetes/issues/54482',
      'https://github.com/kubernetes/kubernetes/issues/81636',
    ],
  },
});

export default matched(cause, matchDeletion);

type Own = ViewOf<typeof cause>;

const INSTANCE_UNSEEN = {
  reason: 'not-collected',
  detail: 'whether the instance still ran when its Node was deleted',
  collect: 'aws ec2 describe-instances --instance-ids <instance>',
} as const;

/** Scale-in prints the same event, so that the event alone proves little of a name that EC2 gives. */
function matchDeletion(view: Own): Match | null {
  const old = view.sign('deletedOld');
  const deletion = old ?? view.sign('deletedNew') ?? view.sign('deletedLog');
  if (deletion === null) return null;
  if (view.list('aws/instance').some(({ value }) => isGone(value))) return clear;
  const node = deletion.last.captures['node'] ?? '';
  const foreign = node === '' || hasEc2Domain(node) ? {} : { foreign: node };
  const alive =
    view.sign('kubeletLostNode') ??
    soonAfter(deletion, view.sign('kubeletRegistered')) ??
    soonAfter(deletion, view.sign('registeredInController'));
  if (alive !== null)
    return found({ ...deletion.last.captures, ...foreign }, [deletion.last, alive.last]);
  const running = runningOf(view);
  if (running !== null) {
    const { id, name, proof } = running;
    const details = { ...deletion.last.captures, ...foreign, instance: id, ec2Name: name };
    return found(details, [deletion.last, proof]);
  }
  // A Node that was drained or silent first went the way of every scale-in.
  if (old === null || view.sign('wentBefore') !== null) return cannotSay(INSTANCE_UNSEEN);
  return found({ ...deletion.last.captures, ...foreign }, [deletion.last], 'likely');
}

/** The instance that runs to this day and has no Node: nobody scaled it in. */
function runningOf(
  view: Own,
): { readonly id: string; readonly name: string; readonly proof: Quote } | null {
  if (!view.shows('machine-without-node')) return null;
  const instance = view.list('aws/instance').find(({ value }) => value.State?.Name === 'running');
  if (instance === undefined) return null;
  const id = instance.value.InstanceId ?? '';
  const name = instance.value.PrivateDnsName ?? '';
  return { id, name, proof: view.quote(instance, `${id} running PrivateDnsName ${name}`) };
}

function isGone(instance: Instance): boolean {
  const state = instance.State?.Name ?? '';
  return state === 'terminated' || state === 'shutting-down' || state.startsWith('stopp');
}

function soonAfter(deletion: Sighting, registered: Sighting | null): Sighting | null {
  const [gone, came] = [deletion.last.moment.when, registered?.last.moment.when ?? null];
  if (
    gone === null ||
    came === null ||
    gone.clock !== came.clock ||
    gone.yearless !== came.yearless
  )
    return null;
  const gapMs = gone.ms - came.ms;
  return gapMs >= 0 && gapMs <= AFTER_REGISTRATION_MAX_MS ? registered : null;
}
