import { at, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { Resource } from '../terraform/resource.ts';
import { said, written } from '../written/resource.ts';
import type { ClusterFile } from './file.ts';

const ADDONS_MAX = 200;

/** eksctl gives these a role by itself where the issuer is registered. */
const WITH_POLICIES = new Set(['vpc-cni', 'aws-ebs-csi-driver', 'aws-efs-csi-driver']);

/** The add-ons of a cluster, those that eksctl installs unasked too, and what gives pods a role. */
export function addonResources(file: ClusterFile): readonly Resource[] {
  const { document } = file;
  const listed = listAt(document, 'addons').slice(0, ADDONS_MAX);
  const hasCni = listed.some((one) => nameOf(one) === 'vpc-cni');
  const isLeftOut =
    at(document, 'addonsConfig.disableDefaultAddons') === true || isAutoMode(document);
  const provider = { client_id_list: ['sts.amazonaws.com'] };
  const identities = listAt(document, 'iam.podIdentityAssociations').slice(0, ADDONS_MAX);
  return [
    ...listed.map((one, index) => addonOf(file, one, `addons[${index}]`)),
    ...(hasCni || isLeftOut ? [] : [addonOf(file, { name: 'vpc-cni' }, 'addons')]),
    ...(file.hasOidc
      ? [
          written('aws_iam_openid_connect_provider', 'iam.withOIDC', provider, {
            unknown: { url: true },
          }),
        ]
      : []),
    ...identities.map((one, index) => identityOf(file, one, index)),
  ];
}

export function isAutoMode(document: JsonObject): boolean {
  return at(document, 'autoModeConfig.enabled') === true;
}

function nameOf(addon: Json): string {
  return (textAt(addon, 'name') ?? '').toLowerCase();
}

function addonOf(file: ClusterFile, addon: Json, address: string): Resource {
  const isPodIdentity =
    listAt(addon, 'podIdentityAssociations').length > 0 ||
    at(addon, 'useDefaultPodIdentityAssociations') === true ||
    at(file.document, 'addonsConfig.autoApplyPodIdentityAssociations') === true;
  const isWanted =
    WITH_POLICIES.has(nameOf(addon)) ||
    ['attachPolicyARNs', 'attachPolicy', 'wellKnownPolicies'].some(
      (name) => at(addon, name) !== undefined,
    ) ||
    isOfServiceAccount(file, nameOf(addon));
  const made = file.hasOidc && isWanted && !isPodIdentity ? `${address}.attachPolicyARNs` : null;
  return written(
    'aws_eks_addon',
    address,
    said({
      addon_name: nameOf(addon),
      addon_version: textAt(addon, 'version') ?? undefined,
      cluster_name: file.name ?? 'metadata',
      configuration_values: configurationOf(file, addon) ?? undefined,
      pod_identity_association: isPodIdentity ? [{}] : [],
      service_account_role_arn: textAt(addon, 'serviceAccountRoleARN') ?? made ?? undefined,
    }),
  );
}

/** True where a service account of the file takes the place of the add-on's own. */
function isOfServiceAccount({ document }: ClusterFile, name: string): boolean {
  if (name !== 'vpc-cni') return false;
  return listAt(document, 'iam.serviceAccounts').some(
    (one) => textAt(one, 'metadata.name') === 'aws-node',
  );
}

/** What the add-on is configured with; eksctl turns addresses of Windows pods on itself. */
function configurationOf({ groups }: ClusterFile, addon: Json): string | null {
  const own = textAt(addon, 'configurationValues');
  const isForWindows =
    nameOf(addon) === 'vpc-cni' && groups.some(({ family }) => family === 'windows');
  if (!isForWindows) return own;
  return own === null ? 'enableWindowsIpam: "true"' : own;
}

function identityOf(file: ClusterFile, identity: Json, index: number): Resource {
  return written(
    'aws_eks_pod_identity_association',
    `iam.podIdentityAssociations[${index}]`,
    said({
      cluster_name: file.name ?? 'metadata',
      namespace: textAt(identity, 'namespace') ?? undefined,
      role_arn: textAt(identity, 'roleARN') ?? undefined,
      service_account: textAt(identity, 'serviceAccountName') ?? undefined,
    }),
  );
}
