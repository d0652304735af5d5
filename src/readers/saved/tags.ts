import { isObject, textAt } from '../../evidence/json.ts';
import { countLeftOut, fields, keep, type KeptBy } from './keep.ts';

/** Tags by which AWS, Kubernetes and Karpenter know to whom something belongs. */
const TAGS =
  /^(?:Name|KubernetesCluster|(?:aws|eks|eksctl|alpha\.eksctl\.io|k8s\.io|kops\.k8s\.io|karpenter\.(?:sh|k8s\.aws)|eks\.amazonaws\.com|kubernetes\.io|node\.k8s\.amazonaws\.com|cluster\.k8s\.amazonaws\.com|cluster\.x-k8s\.io|sigs\.k8s\.io|vpcresources\.k8s\.aws)[:/].*)$/;

/** The key of a tag is kept, since causes look for it; its value only where the key is a known one. */
const keptTag: KeptBy = (value, left) => {
  const key = textAt(value, 'Key');
  if (key === null) return undefined;
  if (TAGS.test(key)) return keep(value, fields('Key', 'Value'), left);
  countLeftOut(left, 'values of tags');
  return { Key: key };
};

/** Tags as EC2, IAM and Auto Scaling answer them. */
export const TAGGED = [keptTag] as const;

/** Tags as EKS answers them. */
export const keptTagMap: KeptBy = (value, left) => {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const kept = entries.filter(([key]) => TAGS.test(key));
  countLeftOut(left, 'values of tags', entries.length - kept.length);
  return Object.fromEntries(kept);
};
