import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';

/** Looked up by name, an instance without the cluster's tag is filtered out of EC2's answer. */
const cause = defineCause({
  id: 'untagged-instance-filtered-out',
  stage: 'retained',
  title: 'the controller filters instances by cluster tag, and this one has none',
  scope: 'machine',
  signs: {
    deleted: context(
      ['event', 'controller-manager', 'cloud-controller', 'kubelet', 'client-output'],
      /[Dd]eleting [Nn]ode (?:(?:since it is |\()?no longer present in cloud provider\)?"?:? (?:node=)?"?(?<node>[a-z0-9][a-z0-9.-]*)|(?<node2>[a-z0-9][a-z0-9.-]*) because it(?:'s not present according to| does not exist in the) cloud provider)/,
    ),
    groupUnknown: context(
      ['pod-app', 'karpenter', 'cloud-controller'],
      /Nodegroup is nil for aws:/,
    ),
    toldUntagged: likely(
      ['client-output', 'unknown'],
      /\b[Uu]ntagged (?:nodes?|instances?|machines?|workers?)\b.{0,60}\b(?:deleted|removed|dropped)\b|\b(?:[Nn]odes?|[Ii]nstances?|[Mm]achines?)\b.{0,40}\bwithout (?:the |a |its )?.{0,80}\btags?\b.{0,120}\b(?:deletes?|deleted|removes?|removed) (?:it|them|within|seconds|at once|again)\b/,
      { isTold: true, anchors: ['ntagged ', 'without '] },
    ),
  },
  needs: ['aws/instance'],
  symptoms: ['node-object-deleted'],
  withdrawnBy: ['node-ready'],
  explains: [
    'node-deleted-as-not-in-cloud',
    'instance-not-yet-visible-in-ec2',
    'no-reregistration-after-deletion',
    'node-heartbeat-lost',
  ],
  summary: ({ node, instance }) =>
    `The instance ${instance ?? ''} runs as ${node ?? 'its Node'} but has no cluster tag, so the AWS cloud provider, which looked it up by name, does not see it and its Node was deleted as not existing.`,
  remedy: ({ instance }) => [
    step(
      'Tag the instance for its cluster, then register the Node again.',
      `aws ec2 create-tags --resources ${instance ?? '<instance>'} --tags Key=kubernetes.io/cluster/<cluster>,Value=owned`,
    ),
    step('A kubelet registers only when it starts.', 'sudo systemctl restart kubelet'),
    step(
      'Tag at launch, so that the tag is there before the first question.',
      'aws autoscaling create-or-update-tags --tags ResourceId=<group>,ResourceType=auto-scaling-group,Key=kubernetes.io/cluster/<cluster>,Value=owned,PropagateAtLaunch=true',
    ),
  ],
  decide: step(
    'Read the instance’s tags.',
    'kubectl get events -A --field-selector involvedObject.kind=Node -o json; aws ec2 describe-instances --instance-ids <instance>',
  ),
  page: {
    why: 'The AWS provider narrows a DescribeInstances call by name to the cluster’s tag: before Kubernetes 1.8 each call, since then that for a Node without a provider id. An instance without the tag, or tagged by a later call than RunInstances, does not exist for the controller, and the Node is not looked at again.',
    prevent: 'TagSpecifications in the launch template, or PropagateAtLaunch on the group.',
    notThis:
      'A Node with a provider id is looked up by that id, without the filter. A tagged instance with the right name is instance-not-yet-visible-in-ec2; contradictory tags on the control plane are cluster-tag-missing-or-contradictory.',
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/28519',
      'https://cloud-provider-aws.sigs.k8s.io/prerequisites/',
    ],
  },
});

export default matched(cause, matchTags);

type Own = ViewOf<typeof cause>;

function matchTags(view: Own): Match | null {
  const deleted = view.sign('deleted');
  const node = deleted?.last.captures['node'];
  if (deleted === null || node === undefined) return null;
  const instance = view.list('aws/instance').find(({ value }) => isUntagged(value, node));
  if (instance === undefined) return null;
  const id = instance.value.InstanceId ?? '';
  return found(
    { node, instance: id },
    [
      deleted.last,
      view.quote(
        instance,
        `${id} running PrivateDnsName ${node} without a tag kubernetes.io/cluster/…`,
      ),
    ],
    'likely',
  );
}

function isUntagged(instance: Instance, node: string): boolean {
  if (instance.State?.Name !== 'running' || instance.PrivateDnsName !== node) return false;
  const keys = (instance.Tags ?? []).map((tag) => tag.Key ?? '');
  const isTagged = keys.some(
    (key) => key.startsWith('kubernetes.io/cluster/') || key === 'KubernetesCluster',
  );
  return Array.isArray(instance.Tags) && !isTagged;
}
