import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
  withRepairs,
} from '../../../diagnosis/cause.ts';
import { restarting } from '../../../diagnosis/repair.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { utcMs, type When } from '../../../evidence/time.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';

/** EC2's answers agree with each other after seconds; a deletion later than this has another reason. */
const AFTER_LAUNCH_MAX_MS = 15 * 60_000;

/** EC2 did not list the new instance yet, and the cloud controller took that for gone. */
const cause = defineCause({
  id: 'instance-not-yet-visible-in-ec2',
  stage: 'retained',
  title: 'the Node was deleted because EC2 did not list its new instance yet',
  scope: 'machine',
  signs: {
    deleted: context(
      ['event', 'controller-manager', 'cloud-controller', 'kubelet', 'client-output'],
      /[Dd]eleting [Nn]ode (?:(?:since it is |\()?no longer present in cloud provider\)?"?:? (?:node=)?"?(?<node>[a-z0-9][a-z0-9.-]*)|(?<node2>[a-z0-9][a-z0-9.-]*) because it(?:'s not present according to| does not exist in the) cloud provider)/,
    ),
    graceRuns: context(
      ['cloud-controller', 'controller-manager'],
      /does not exist, but node is within eventual consistency grace period/,
    ),
  },
  needs: ['aws/instance'],
  symptoms: ['node-object-deleted'],
  withdrawnBy: ['node-ready'],
  explains: [
    'ccm-cannot-initialize-node',
    'node-deleted-as-not-in-cloud',
    'no-reregistration-after-deletion',
    'node-heartbeat-lost',
  ],
  summary: ({ node, instance, launched }) =>
    sentence`The Node ${node} was deleted as not existing although ${instance ?? 'its instance'} runs under exactly that name${phrase` since ${launched}`}: EC2 had not listed it yet when the cloud controller asked.`,
  remedy: () => [
    step(
      'Register the Node again; the kubelet does so only when it starts.',
      'sudo systemctl restart kubelet',
    ),
    step(
      'Use a cloud controller that looks instances up by id, and let the kubelet carry its own.',
      'kubectl -n kube-system get daemonset aws-cloud-controller-manager -o jsonpath={.spec.template.spec.containers[0].image}',
    ),
  ],
  decide: step(
    'Compare state, name and launch time of the instance with the time of the deletion.',
    'kubectl get events -A --field-selector reason=DeletingNode -o json; aws ec2 describe-instances --instance-ids <instance>',
  ),
  page: {
    why: 'DescribeInstances is eventually consistent: for some seconds after the launch it may not return the instance. A Node that registers in that time and is not Ready yet is deleted as if its instance were gone. It hits a few of many.',
    prevent:
      'Current cloud controllers, --provider-id on kubelets, and machine images that do not join within the first seconds.',
    notThis:
      'The instance runs, is tagged and bears the Node’s name; another name is node-deleted-as-not-in-cloud with a naming cause, a missing tag untagged-instance-filtered-out. When every node of an account is hit each time it is NotReady, the controller looks into another account or region.',
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/64036',
      'https://github.com/kubernetes/kubernetes/issues/58334',
      'https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html',
    ],
  },
});

export default matched(cause, matchRunning);

type Own = ViewOf<typeof cause>;

function matchRunning(view: Own): Match | null {
  const deleted = view.sign('deleted');
  const node = deleted?.last.captures['node'];
  if (deleted === null || node === undefined) return null;
  const instance = view.list('aws/instance').find(({ value }) => isSame(value, node));
  if (instance === undefined || !isTagged(instance)) return null;
  const launched = instance.value.LaunchTime ?? '';
  const age = ageAt(launched, deleted.last.moment.when);
  if (age === null || age < 0) return null;
  if (age > AFTER_LAUNCH_MAX_MS) return clear;
  const id = instance.value.InstanceId ?? '';
  const match = found({ node, instance: id, launched }, [
    deleted.last,
    view.quote(instance, `${id} running PrivateDnsName ${node} LaunchTime ${launched}`),
  ]);
  const says = `its Node was deleted while EC2 did not show ${id} yet, which it does now`;
  return withRepairs(match, restarting(id === '' ? null : id, node, says));
}

function isSame(instance: Instance, node: string): boolean {
  return instance.State?.Name === 'running' && instance.PrivateDnsName === node;
}

function isTagged({ value }: Seen<Instance>): boolean {
  const keys = (value.Tags ?? []).map((tag) => tag.Key ?? '');
  return (
    keys.length === 0 ||
    keys.some((key) => key.startsWith('kubernetes.io/cluster/') || key === 'KubernetesCluster')
  );
}

/** Age of the instance at a moment, in the moment's own year when it prints none. */
function ageAt(launched: string, when: When | null): number | null {
  const m = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/.exec(launched);
  if (m === null || when === null || when.clock !== 'utc') return null;
  const [year = 0, month = 1, day = 1, hours = 0, minutes = 0, seconds = 0] = m
    .slice(1)
    .map(Number);
  return (
    when.ms -
    utcMs(when.yearless ? 2000 : year, month, day, ((hours * 60 + minutes) * 60 + seconds) * 1000)
  );
}
