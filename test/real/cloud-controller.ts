/** The AWS cloud controller manager, of the versions that behave differently. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CloudControllerVersion } from '../../tools/real-parts/recipes.ts';
import type { Program } from './bench.ts';
import type { ControlPlane } from './control-plane.ts';
import { awsEnvironment, type Moto } from './moto.ts';
import { partPath } from './parts.ts';

export interface CloudControllerOptions {
  readonly version: CloudControllerVersion;
  readonly controlPlane: ControlPlane;
  readonly moto: Moto;
  /** The tag `kubernetes.io/cluster/…` that its instances carry; `CLUSTER_ID` where nobody says. */
  readonly clusterId?: string;
  /** How often it looks after Nodes that are not Ready; 5 s where nobody sets it. */
  readonly nodeMonitorPeriodMs?: number;
}

/** The cluster of tests that name none. */
export const CLUSTER_ID = 'test';

/**
 * Runs its two controllers of Nodes: the one that initialises them, and the one that deletes them.
 *
 * @throws Error with the end of its log when it does not come up
 */
export async function startCloudController({
  version,
  controlPlane,
  moto,
  clusterId = CLUSTER_ID,
  nodeMonitorPeriodMs = 1_000,
}: CloudControllerOptions): Promise<Program> {
  const { dir, kubeconfigPath } = controlPlane;
  const configuration = join(dir, `cloud-${version}.conf`);
  writeFileSync(configuration, await configurationOf(moto, clusterId));
  // The configuration names the address, for EC2 alone.
  const { AWS_ENDPOINT_URL: _unused, ...env } = awsEnvironment(moto.url);
  return controlPlane.startComponent({
    name: `aws-cloud-controller-manager-${version}`,
    path: partPath(version),
    kubeconfigPath,
    env,
    flags: [
      '--cloud-provider=aws',
      `--cloud-config=${configuration}`,
      '--controllers=cloud-node-controller,cloud-node-lifecycle-controller',
      `--node-monitor-period=${nodeMonitorPeriodMs}ms`,
      '--configure-cloud-routes=false',
      '--allocate-node-cidrs=false',
      '--use-service-account-credentials=false',
      '--v=2',
    ],
  });
}

/** With VPC, subnet and cluster named, it does not ask the machine that it runs on who it is. */
async function configurationOf(moto: Moto, clusterId: string): Promise<string> {
  const subnets = await moto.ec2('DescribeSubnets');
  const [vpc, subnet] = ['vpcId', 'subnetId'].map((tag) => textOf(subnets, tag));
  return [
    '[Global]',
    `Zone=${textOf(subnets, 'availabilityZone')}`,
    `VPC=${vpc}`,
    `SubnetID=${subnet}`,
    `KubernetesClusterID=${clusterId}`,
    '[ServiceOverride "1"]',
    // Compared with the name that the SDK has for the service, capitals included.
    'Service=EC2',
    `Region=${moto.region}`,
    `URL=${moto.url}`,
    `SigningRegion=${moto.region}`,
    'SigningName=ec2',
    '',
  ].join('\n');
}

/** @throws Error when an answer of EC2 has no such element */
export function textOf(xml: string, tag: string): string {
  const found = new RegExp(`<${tag}>([^<]+)</${tag}>`).exec(xml)?.[1];
  if (found === undefined) throw new Error(`the answer has no ${tag}: ${xml.slice(0, 500)}`);
  return found;
}
