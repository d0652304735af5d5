import { HOST_NETWORK_PODS } from './eni.ts';
import { type InstanceType, isUnknownType } from './instance-type.ts';
import type { InstanceTypes } from './instance-types.ts';
import { KUBELET_DEFAULT_MAX_PODS } from './max-pods.ts';
import { counted } from '../domain/words.ts';

/** Images that set max-pods by themselves when nobody else does. */
export type TableImage = 'al2' | 'al2023' | 'bottlerocket';

export interface ImageMaxPods {
  readonly maxPods: number;
  readonly because: string;
}

function tableValue(type: InstanceType): number {
  return type.enis * (type.ipv4PerEni - 1) + HOST_NETWORK_PODS;
}

/**
 * The max-pods that an image sets when none is configured. It knows neither prefixes nor custom
 * networking nor AWS's ceiling. Sources: amazon-eks-ami v20251217 bootstrap.sh (line of
 * eni-max-pods.txt, else the calculator), nodeadm eni_max_pods.go at 81fec2e (its table, else EC2,
 * else 110), bottlerocket-core-kit pluto (its table, else the kubelet's 110).
 */
export function imageMaxPods(type: InstanceType, image: TableImage): ImageMaxPods {
  const inTable = image === 'al2023' ? type.tables.nodeadm : type.tables.al2;
  const value = tableValue(type);
  if (inTable)
    return { maxPods: value, because: `${NAMES[image]} lists ${type.name} with ${value}` };
  if (image === 'bottlerocket') {
    const because = `${NAMES[image]} lacks ${type.name}, so the kubelet takes its default`;
    return { maxPods: KUBELET_DEFAULT_MAX_PODS, because };
  }
  const asks = image === 'al2' ? 'max-pods-calculator.sh asks EC2' : 'nodeadm asks EC2';
  return {
    maxPods: value,
    because: `${NAMES[image]} lacks ${type.name}, and ${asks} (ec2:DescribeInstanceTypes)`,
  };
}

const NAMES: Readonly<Record<TableImage, string>> = {
  al2: 'eni-max-pods.txt of Amazon Linux 2 (v20251217)',
  al2023: 'the nodeadm table (2026-07-23)',
  bottlerocket: 'eni-max-pods of Bottlerocket (as of 2025-12-15)',
};

/** Shipped types that the table of an image lacks; those that it has all agree with the rule. */
export function missingFromTable(types: InstanceTypes, image: TableImage): readonly string[] {
  return types.names.filter((name) => {
    const type = types.named(name);
    return !isUnknownType(type) && !(image === 'al2023' ? type.tables.nodeadm : type.tables.al2);
  });
}

/** Says where the image's own max-pods and the addresses of the instance part. */
export function imageMismatch(image: ImageMaxPods, allowed: number): string | null {
  if (image.maxPods === allowed) return null;
  const than = image.maxPods > allowed ? 'more than' : 'fewer than';
  return `By default the image sets ${counted(image.maxPods, 'pod')} (${image.because}), ${than} the ${allowed} that have addresses.`;
}
