import type { Observations } from '../../evidence/observations.ts';
import type { ImageFamily } from './input.ts';
import { type NamingMachine, namingValues, nodesOf } from './machines.ts';

/** Words by which images and systems are known; the first that fits decides. */
const FAMILIES: readonly (readonly [RegExp, ImageFamily])[] = [
  [/bottlerocket/i, 'bottlerocket'],
  [/amazon-eks-node-al2023|amazon linux 2023/i, 'al2023'],
  [/^amazon-eks-(?:gpu-|arm64-)?node-\d/i, 'al2'],
  [/windows/i, 'windows'],
  [/^rhcos|red hat enterprise linux coreos/i, 'openshift4'],
  [/flatcar/i, 'flatcar'],
  [/ubuntu/i, 'ubuntu'],
  [/^rhel|red hat enterprise linux/i, 'rhel'],
];

/** The family of an image by its name or by the system that a Node reports. */
export function familyOf(words: string | null, isEks: boolean): ImageFamily | null {
  if (words === null || words.trim() === '') return null;
  const found = FAMILIES.find(([pattern]) => pattern.test(words))?.[1];
  // Only EKS puts bootstrap programs into Amazon Linux; elsewhere its hostname decides.
  if (/amazon linux/i.test(words) && !isEks) return 'other';
  if (/^amazon linux 2$/i.test(words.trim())) return isEks ? 'al2' : 'other';
  return found ?? 'other';
}

/** True when the cluster is one of EKS. */
export function isEksCluster(observations: Observations): boolean {
  const labelled = nodesOf(observations).some(({ labels }) =>
    Object.keys(labels).some((key) => key.startsWith('eks.amazonaws.com/')),
  );
  return labelled || namingValues(observations, 'aws/cluster').length > 0;
}

/** The family of the image of a machine, by its labels, its image, or the system of its Node. */
export function imageOf(
  observations: Observations,
  { instance, node }: NamingMachine,
): ImageFamily | null {
  const compute = node?.labels['eks.amazonaws.com/compute-type'];
  if (compute === 'fargate') return 'fargate';
  if (compute === 'hybrid') return 'hybrid';
  if (compute === 'auto') return 'eks-auto';
  if (node?.labels['kops.k8s.io/instancegroup'] !== undefined) return 'kops';
  const id = (instance ?? {}).ImageId ?? null;
  const image = namingValues(observations, 'aws/image').find((one) => (one.ImageId ?? null) === id);
  const isEks = isEksCluster(observations);
  const byName = familyOf(image?.Name ?? null, isEks);
  const bySystem = familyOf(node?.osImage ?? null, isEks);
  return byName === 'other' ? (bySystem ?? byName) : (byName ?? bySystem);
}
