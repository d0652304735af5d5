import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The ClusterRole of aws-node is older than its image and does not allow reading ENIConfigs. */
export default defineCause({
  id: 'eniconfig-not-readable',
  stage: 'networked',
  title: 'the VPC CNI may not read ENIConfig objects',
  scope: 'cluster',
  signs: {
    forbidden: definite(
      ['ipamd', 'aws-node'],
      /eniconfigs(?:\.crd\.k8s\.amazonaws\.com)?\b.{0,200} is forbidden|cannot (?:get|list|watch) resource "eniconfigs"/,
      { anchors: ['eniconfigs'] },
    ),
    attachedAfterAll: withdraws(
      ['ipamd'],
      /Successfully created and attached a new ENI|node init completed successfully/,
    ),
    rightsTold: likely(
      ['client-output', 'unknown'],
      /\b(?:RBAC|[Pp]ermissions?|ClusterRole)\b.{0,120}\b(?:read|list|get|watch)\b.{0,20}\b(?:ENIConfig|eniconfig)/,
      { isTold: true, anchors: ['ENIConfig', 'eniconfig'] },
    ),
  },
  needs: [],
  symptoms: ['sandbox-not-created', 'cni-daemon-silent'],
  withdrawnBy: [],
  explains: ['eniconfig-missing', 'cni-configuration-missing', 'cni-killed-by-own-probes'],
  summary: () =>
    'The service account aws-node may not read ENIConfig objects, so with custom networking no node attaches an interface for pods.',
  remedy: () => [
    step(
      'Apply the manifest of the release that the image has, or let the add-on bring its own role.',
      'aws eks update-addon --cluster-name <cluster> --addon-name vpc-cni --resolve-conflicts OVERWRITE',
    ),
  ],
  decide: step(
    'Ask the API server whether it may.',
    'kubectl auth can-i list eniconfigs.crd.k8s.amazonaws.com --as system:serviceaccount:kube-system:aws-node',
  ),
  page: {
    why: 'The image was updated alone; the ClusterRole aws-node is still that of an older release and lacks get, list and watch on eniconfigs.crd.k8s.amazonaws.com.',
    prevent: 'Update the CNI by its whole manifest or as a managed add-on.',
    notThis:
      'ipamd then also logs that it found no ENIConfig, as it does when the object is missing (eniconfig-missing); the forbidden line decides.',
    alsoKnownAs: ['eniconfigs.crd.k8s.amazonaws.com is forbidden'],
    refs: ['https://github.com/aws/amazon-vpc-cni-k8s/pull/1082'],
  },
});
