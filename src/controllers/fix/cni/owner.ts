import { type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { shellText, shellWord } from '../../../domain/words.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import { PortError } from '../../../ports/port-error.ts';
import { isAnother } from '../another-cluster.ts';
import { askForOne, askOnce } from '../aws-read.ts';
import type { Variables } from './aws-node.ts';

/** Who decides what the DaemonSet aws-node is: its manifest, or EKS by an add-on. */
export type CniOwner =
  | { readonly by: 'manifest' }
  | { readonly by: 'add-on'; readonly cluster: string; readonly values: string }
  | { readonly by: 'unknown'; readonly why: string };

/** By the answer of EKS; where nobody can ask it, by who wrote the DaemonSet. */
export async function ownerOf(
  daemonSet: JsonObject,
  cluster: string | null,
  { aws, server }: { readonly aws: AwsApi | null; readonly server: string },
): Promise<CniOwner> {
  if (aws === null || cluster === null) return ownerByWriters(daemonSet, 'AWS was not asked');
  try {
    return await askedOwner(cluster, server, aws);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return ownerByWriters(daemonSet, error.message);
  }
}

/** @throws PortError */
async function askedOwner(cluster: string, server: string, aws: AwsApi): Promise<CniOwner> {
  const input = { name: cluster };
  const described = await askOnce(aws, { service: 'eks', operation: 'DescribeCluster', input });
  if (isAnother(server, textAt(described, 'cluster.endpoint') ?? ''))
    return { by: 'unknown', why: `The kubeconfig names another cluster than ${cluster}.` };
  const found = await askForOne(aws, {
    service: 'eks',
    operation: 'DescribeAddon',
    input: { clusterName: cluster, addonName: 'vpc-cni' },
  });
  if (found === null) return { by: 'manifest' };
  return { by: 'add-on', cluster, values: textAt(found, 'addon.configurationValues') ?? '' };
}

/** EKS applies its add-ons under the name `eks`. */
function ownerByWriters(daemonSet: JsonObject, because: string): CniOwner {
  const managers = listAt(daemonSet, 'metadata.managedFields').map((one) => textAt(one, 'manager'));
  if (managers.length > 0 && !managers.includes('eks')) return { by: 'manifest' };
  const why = `Nobody knows whether vpc-cni is an add-on of EKS, which would take other values back: ${because}. Name the cluster and a profile that may describe it: --cluster, --profile.`;
  return { by: 'unknown', why };
}

/** How a person gives the add-on variables, beside all values that it has. */
export interface AddOnChange {
  readonly why: string;
  readonly command: string;
}

const TAKES_BACK = 'vpc-cni is an add-on of EKS, which takes a change of the DaemonSet back.';

/** The command shows no values of the add-on, as nobody knows what people keep there. */
export function addOnChange(
  { cluster, values }: Extract<CniOwner, { by: 'add-on' }>,
  variables: Variables,
): AddOnChange {
  const set = Object.fromEntries([...variables].filter(([, value]) => value !== null));
  if (values.trim() === '') {
    const given = `--configuration-values ${shellText(JSON.stringify({ env: set }))}`;
    return { why: `${TAKES_BACK} Give it the values:`, command: `${updateOf(cluster)} ${given}` };
  }
  const shown = `aws eks describe-addon --cluster-name ${shellWord(cluster)} --addon-name vpc-cni --query addon.configurationValues --output text`;
  if (!values.trimStart().startsWith('{')) {
    const why = `${TAKES_BACK} Its configuration values are YAML; add the variables below env: there. See them:`;
    return { why, command: shown };
  }
  const gone = [...variables].filter(([, value]) => value === null);
  const filter = [
    `.env += ${JSON.stringify(set)}`,
    ...gone.map(([name]) => `del(.env.${name})`),
  ].join(' | ');
  const command = `values=$(${shown} | jq -c ${shellText(filter)}) && ${updateOf(cluster)} --configuration-values "$values"`;
  return { why: `${TAKES_BACK} Give it the values, with all that it has:`, command };
}

/** The beginning of every command that changes the add-on. */
export function updateOf(cluster: string): string {
  return `aws eks update-addon --cluster-name ${shellWord(cluster)} --addon-name vpc-cni --resolve-conflicts PRESERVE`;
}
