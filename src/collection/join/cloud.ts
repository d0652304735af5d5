import type { JoinCloudLook } from '../../domain/nodes/join.ts';
import { type Json, listAt, textAt } from '../../evidence/json.ts';
import { excerptOf } from '../../evidence/redact.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import { PortError } from '../../ports/port-error.ts';

const GONE: ReadonlySet<string | null> = new Set(['terminated', 'shutting-down']);

/**
 * Whether EC2 lists the instance, as the cloud controller would find it. A call that is throttled
 * or denied tells nothing.
 *
 * @param cluster the tag `kubernetes.io/cluster/NAME` has to be there too; null where nobody named it
 */
export async function lookAtCloud(
  aws: AwsApi,
  instanceId: string,
  cluster: string | null,
): Promise<JoinCloudLook> {
  try {
    const call = {
      service: 'ec2',
      operation: 'DescribeInstances',
      input: { InstanceIds: [instanceId] },
    } as const;
    for await (const page of aws.pages(call)) {
      const instances = listAt(page, 'Reservations').flatMap((one) => listAt(one, 'Instances'));
      const found = instances.find((one) => textAt(one, 'InstanceId') === instanceId);
      if (found !== undefined) return lookOf(found, instanceId, cluster);
    }
    return absent(`EC2 does not list ${instanceId} yet.`);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    if (error.failure === 'not-found') return absent(`EC2 does not list ${instanceId} yet.`);
    return { state: 'unknown', message: excerptOf(error.message) };
  }
}

function absent(message: string): JoinCloudLook {
  return { state: 'absent', message };
}

function lookOf(instance: Json, instanceId: string, cluster: string | null): JoinCloudLook {
  if (GONE.has(textAt(instance, 'State.Name')))
    return absent(`EC2 is terminating ${instanceId}; a Node of it would be deleted.`);
  const tag = `kubernetes.io/cluster/${cluster}`;
  const tags = listAt(instance, 'Tags').map((one) => textAt(one, 'Key'));
  if (cluster !== null && !tags.includes(tag))
    return absent(
      `EC2 lists ${instanceId} without the tag ${tag}, which the cloud controller asks for.`,
    );
  const name = textAt(instance, 'PrivateDnsName') ?? '';
  return { state: 'listed', privateDnsName: name === '' ? null : name };
}
