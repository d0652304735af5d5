import type { TrueInstance } from '../../aws/contract.ts';

/** What the metadata service answers to a path below `/latest/`; null for one that it lacks. */
export function metadataText(instance: TrueInstance, path: string): string | null {
  if (path === 'api/token') return 'AQAEAEXAMPLETOKEN==';
  const region = instance.zone.replace(/[a-z]$/, '');
  const texts: Readonly<Record<string, string | null>> = {
    'meta-data/instance-id': instance.instanceId,
    'meta-data/instance-type': instance.instanceType,
    'meta-data/ami-id': instance.imageId,
    'meta-data/local-ipv4': instance.privateIp,
    'meta-data/local-hostname': instance.privateDnsName,
    'meta-data/hostname': instance.privateDnsName,
    'meta-data/placement/availability-zone': instance.zone,
    'meta-data/placement/region': region,
    'meta-data/iam/security-credentials/': instance.roleArn?.replace(/^.*\//, '') ?? null,
    'user-data': instance.userData,
  };
  return Object.hasOwn(texts, path) ? (texts[path] ?? null) : null;
}
