import { textAt } from '../../evidence/json.ts';
import { nameBy } from './links.ts';
import type { Maker } from './made.ts';
import { type Resource, textOf } from './resource.ts';

/** Parameters in which AWS publishes the images of EKS, by the name that such an image has. */
const PARAMETERS: readonly (readonly [RegExp, (path: readonly string[]) => string])[] = [
  [
    /^\/aws\/service\/eks\/optimized-ami\/([\d.]+)\/amazon-linux-2023\/(x86_64|arm64)\/([\w-]+)\//,
    ([, version = '', architecture = '', variant = '']) =>
      `amazon-eks-node-al2023-${architecture}-${variant}-${version}`,
  ],
  [
    /^\/aws\/service\/eks\/optimized-ami\/([\d.]+)\/amazon-linux-2(-arm64|-gpu)?\//,
    ([, version = '', variant = '']) => `amazon-eks${variant}-node-${version}`,
  ],
  [
    /^\/aws\/service\/bottlerocket\/(aws-k8s-[\w.-]+)\/(x86_64|arm64)\//,
    ([, variant = '', architecture = '']) => `bottlerocket-${variant}-${architecture}`,
  ],
  [/^\/aws\/service\/ami-windows-latest\/(Windows_Server-[\w.-]+)\//, ([, name = '']) => name],
];

function imageNameOf(parameter: string): string | null {
  for (const [pattern, nameOf] of PARAMETERS) {
    const match = pattern.exec(parameter);
    if (match !== null) return nameOf(match);
  }
  return null;
}

/** The id of the image that a data source finds, or what stands for it until then. */
export function imageIdOf(resource: Resource): string {
  if (resource.type === 'aws_ami') return nameBy(resource, 'id');
  const value = textAt(resource.values, 'value') ?? textAt(resource.values, 'insecure_value');
  return value !== null && /^ami-[0-9a-f]+$/.test(value) ? value : resource.address;
}

export const image: Maker = (_plan, resource) => {
  if (!resource.isLookedUp) return [];
  const parameter = textOf(resource, 'name') ?? '';
  const name = resource.type === 'aws_ami' ? parameter : imageNameOf(parameter);
  if (name === null || name === '') return [];
  const isArm = /arm64/.test(name);
  const own = textOf(resource, 'architecture');
  const answer = {
    ImageId: imageIdOf(resource),
    Name: name,
    Architecture: own === null ? (isArm ? 'arm64' : 'x86_64') : own,
  };
  return [{ kind: 'aws/image', answer }];
};
