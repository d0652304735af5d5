import { compareVersions, versionOf } from '../../../domain/version.ts';
import type { FixStep, FixTools } from '../fix.ts';
import { plainStep } from '../step.ts';
import { AWS_NODE, cniContainerOf, readAwsNode } from './aws-node.ts';
import { type CniNode, readNodes, setupOf } from './facts.ts';
import type { CniOrder } from './order.ts';
import { type CniOwner, ownerOf, updateOf } from './owner.ts';

const NEWEST_OF_ADD_ON =
  '$(aws eks describe-addon-versions --addon-name vpc-cni --query addons[0].addonVersions[0].addonVersion --output text)';
const MANIFESTS = 'https://raw.githubusercontent.com/aws/amazon-vpc-cni-k8s';

/** The first release whose table has all types of the machines in trouble; null is not known. */
export function releaseFor(nodes: readonly CniNode[]): string | null {
  const releases = nodes
    .filter(({ isTroubled }) => isTroubled)
    .map(({ type }) => type?.tables.firstCni ?? null)
    .map((release) => (release === null ? null : versionOf(release)));
  const known = releases.filter((release) => release !== null);
  const newest = known.toSorted(compareVersions).at(-1);
  return newest === undefined || known.length < releases.length ? null : `v${newest.join('.')}`;
}

/**
 * The release that knows the type of the machines. A release is an image together with the objects
 * of its manifest, so that it is named and left to whoever installs them.
 *
 * @throws PortError
 */
export async function releaseStep(order: CniOrder, tools: FixTools): Promise<FixStep> {
  const daemonSet = await readAwsNode(tools.kube);
  const container = daemonSet === null ? null : cniContainerOf(daemonSet);
  if (daemonSet === null || container === null)
    return plainStep(AWS_NODE, 'refused', 'There is no such DaemonSet with the VPC CNI.');
  const needed = releaseFor(await readNodes(tools.kube, order.machines));
  const have = setupOf(container).mode.cniVersion ?? 'of an unknown release';
  const owner = await ownerOf(daemonSet, order.cluster, {
    aws: tools.aws,
    server: tools.kube.server,
  });
  const why = `The VPC CNI is ${have}; ${needed === null ? 'which release knows the type is not known here, so take the newest' : `${needed} is the first that knows the type`}. A release comes with its roles and definitions, not as an image alone, so Rollcall does not change it.`;
  return { ...plainStep(AWS_NODE, 'refused', why), commands: [commandFor(owner, needed)] };
}

function commandFor(owner: CniOwner, needed: string | null): string {
  if (owner.by === 'add-on')
    return `${updateOf(owner.cluster)} --addon-version "${NEWEST_OF_ADD_ON}"`;
  return `kubectl apply -f ${MANIFESTS}/${needed ?? '<release>'}/config/master/aws-k8s-cni.yaml`;
}
