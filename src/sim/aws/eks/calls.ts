/** Calls of EKS. */
import { isObject, type JsonObject, textAt } from '../../../evidence/json.ts';
import { arnOf, isoMoment, type PlainKind } from '../account.ts';
import { put } from '../ec2/network.ts';
import {
  listIn,
  objectIn,
  on,
  type Operation,
  type Operations,
  reads,
  type Request,
  textIn,
  textsIn,
} from '../operation.ts';
import {
  changeCluster,
  clusterOf,
  createAddon,
  createAssociation,
  createEntry,
  deleteEntry,
  entryId,
  updateEntry,
} from './clusters.ts';
import { invalid, missing, one } from './kept.ts';
import { nodegroup, updateNodegroup } from './nodegroups.ts';
import { assumeForPod } from './pod-identity.ts';
import { beginUpdate } from './updates.ts';

/** The ARN of the cluster that a call is about. */
function clusterArn({ account, input }: Request): string {
  const name = textIn(input, 'clusterName') ?? textIn(input, 'name') ?? '*';
  return arnOf(account, 'eks', `cluster/${name}`);
}

function nameIn({ input }: Request): string {
  return textIn(input, 'clusterName') ?? textIn(input, 'name') ?? '';
}

/** A call about one cluster, which must be there. */
function ofCluster(answer: (request: Request, cluster: string) => JsonObject): Operation {
  return on(
    clusterArn,
    reads((request) => {
      const cluster = nameIn(request);
      clusterOf(request.account, cluster, request.atMs);
      return answer(request, cluster);
    }),
  );
}

function lists(
  list: string,
  answer: (request: Request, cluster: string) => readonly (JsonObject | string)[],
): Operation {
  return {
    ...ofCluster((request, cluster) => ({ [list]: [...answer(request, cluster)] })),
    pages: {
      list,
      size: 'maxResults',
      sizeMax: 100,
      sizeDefault: 100,
      token: ['nextToken', 'nextToken'],
    },
  };
}

function ownIn(
  { account, atMs }: Request,
  kind: PlainKind,
  cluster: string,
): readonly JsonObject[] {
  return account.plain[kind].valuesAt(atMs).filter((row) => row['clusterName'] === cluster);
}

function textsOf(rows: readonly JsonObject[], member: string): readonly string[] {
  return rows.map((row) => textAt(row, member) ?? '');
}

function entry(request: Request, cluster: string): JsonObject {
  const principalArn = textIn(request.input, 'principalArn') ?? '';
  const what = `The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.`;
  return one(request, 'access-entry', entryId(cluster, principalArn), what);
}

/** Policies of an entry, kept apart from it. */
function policiesOf({ account, input, atMs }: Request, cluster: string): readonly JsonObject[] {
  const id = entryId(cluster, textIn(input, 'principalArn') ?? '');
  return listIn(account.plain['access-policy'].at(id, atMs) ?? {}, 'policies').filter(isObject);
}

function associatePolicy(request: Request, cluster: string): JsonObject {
  const { account, input } = request;
  const found = entry(request, cluster);
  if (found['type'] !== 'STANDARD' && found['type'] !== 'EC2')
    throw invalid(
      `Access policies cannot be associated with an access entry of type ${textAt(found, 'type') ?? ''}`,
    );
  const principalArn = textIn(input, 'principalArn') ?? '';
  const policyArn = textIn(input, 'policyArn') ?? '';
  const now = isoMoment(account.kernel.nowMs());
  const scope = objectIn(input, 'accessScope');
  const policy = { policyArn, accessScope: scope, associatedAt: now, modifiedAt: now };
  const others = policiesOf(request, cluster).filter((row) => row['policyArn'] !== policyArn);
  put(account, 'access-policy', entryId(cluster, principalArn), { policies: [...others, policy] });
  return { clusterName: cluster, principalArn, associatedAccessPolicy: policy };
}

function disassociatePolicy(request: Request, cluster: string): JsonObject {
  const { account, input } = request;
  const left = policiesOf(request, cluster).filter(
    (row) => row['policyArn'] !== input['policyArn'],
  );
  put(account, 'access-policy', entryId(cluster, textIn(input, 'principalArn') ?? ''), {
    policies: [...left],
  });
  return {};
}

/** The mode goes one way only: CONFIG_MAP, API_AND_CONFIG_MAP, API. */
const MODES = ['CONFIG_MAP', 'API_AND_CONFIG_MAP', 'API'];

function updateCluster({ account, input }: Request, cluster: string): JsonObject {
  const mode = textIn(objectIn(input, 'accessConfig'), 'authenticationMode');
  if (mode === undefined) throw invalid('No changes needed for the cluster config provided');
  const before = textAt(clusterOf(account, cluster), 'accessConfig.authenticationMode') ?? '';
  if (MODES.indexOf(mode) < MODES.indexOf(before))
    throw invalid(`Unsupported authentication mode update from ${before} to ${mode}`);
  changeCluster(account, cluster, (shown) => ({
    ...shown,
    accessConfig: { authenticationMode: mode },
  }));
  const params = [{ type: 'AuthenticationMode', value: mode }];
  return { update: beginUpdate(account, { cluster, type: 'AccessConfigUpdate', params }) };
}

function updatesOf({ account, input, atMs }: Request, cluster: string): readonly string[] {
  const nodegroupName = textIn(input, 'nodegroupName') ?? null;
  return account.plain.update
    .valuesAt(atMs)
    .filter((row) => row['clusterName'] === cluster && row['nodegroup'] === nodegroupName)
    .map((row) => textAt(row, 'update.id') ?? '');
}

function updateAddon({ account, input }: Request, cluster: string): JsonObject {
  const name = textIn(input, 'addonName') ?? '';
  const before = account.plain.addon.get(`${cluster}/${name}`);
  if (before === undefined) throw missing(`No addon: ${name} found in cluster: ${cluster}`);
  const version = textIn(input, 'addonVersion') ?? textAt(before, 'addonVersion') ?? '';
  createAddon(account, cluster, { name, version });
  const params = [{ type: 'AddonVersion', value: version }];
  return { update: beginUpdate(account, { cluster, type: 'AddonUpdate', params }) };
}

function associations(request: Request, cluster: string): readonly JsonObject[] {
  const { input } = request;
  const namespace = textIn(input, 'namespace');
  const serviceAccount = textIn(input, 'serviceAccount');
  return ownIn(request, 'pod-identity', cluster)
    .filter((row) => namespace === undefined || row['namespace'] === namespace)
    .filter((row) => serviceAccount === undefined || row['serviceAccount'] === serviceAccount)
    .map(
      ({ clusterName, namespace: inside, serviceAccount: of, associationArn, associationId }) => ({
        clusterName: clusterName ?? '',
        namespace: inside ?? '',
        serviceAccount: of ?? '',
        associationArn: associationArn ?? '',
        associationId: associationId ?? '',
      }),
    );
}

function association(request: Request): JsonObject {
  const id = textIn(request.input, 'associationId') ?? '';
  return one(request, 'pod-identity', id, `Association not found: ${id}`);
}

function entryInput({ input }: Request, cluster: string) {
  const username = textIn(input, 'username');
  return {
    cluster,
    principalArn: textIn(input, 'principalArn') ?? '',
    type: textIn(input, 'type') ?? 'STANDARD',
    kubernetesGroups: textsIn(input, 'kubernetesGroups'),
    ...(username === undefined ? {} : { username }),
  };
}

export const EKS: Operations = {
  ListClusters: reads(
    ({ account, atMs }) => ({
      clusters: [...textsOf(account.plain.cluster.valuesAt(atMs), 'name')],
    }),
    {
      list: 'clusters',
      size: 'maxResults',
      sizeMax: 100,
      sizeDefault: 100,
      token: ['nextToken', 'nextToken'],
    },
  ),
  DescribeCluster: ofCluster(({ account, atMs }, name) => ({
    cluster: clusterOf(account, name, atMs),
  })),
  UpdateClusterConfig: ofCluster(updateCluster),
  ListNodegroups: lists('nodegroups', (request, cluster) =>
    textsOf(ownIn(request, 'nodegroup', cluster), 'nodegroupName'),
  ),
  DescribeNodegroup: ofCluster((request, cluster) => ({ nodegroup: nodegroup(request, cluster) })),
  UpdateNodegroupConfig: ofCluster(updateNodegroup),
  ListAccessEntries: lists('accessEntries', (request, cluster) =>
    textsOf(ownIn(request, 'access-entry', cluster), 'principalArn'),
  ),
  DescribeAccessEntry: ofCluster((request, cluster) => ({ accessEntry: entry(request, cluster) })),
  CreateAccessEntry: ofCluster((request, cluster) => ({
    accessEntry: createEntry(request.account, entryInput(request, cluster)),
  })),
  UpdateAccessEntry: ofCluster((request, cluster) => {
    const { kubernetesGroups, ...names } = entryInput(request, cluster);
    const groups = Object.hasOwn(request.input, 'kubernetesGroups') ? { kubernetesGroups } : {};
    const accessEntry = updateEntry(request.account, entry(request, cluster), {
      ...names,
      ...groups,
    });
    return { accessEntry };
  }),
  DeleteAccessEntry: ofCluster((request, cluster) => {
    entry(request, cluster);
    deleteEntry(request.account, cluster, textIn(request.input, 'principalArn') ?? '');
    return {};
  }),
  AssociateAccessPolicy: ofCluster(associatePolicy),
  DisassociateAccessPolicy: ofCluster(disassociatePolicy),
  ListAssociatedAccessPolicies: {
    ...ofCluster((request, clusterName) => ({
      clusterName,
      principalArn: textAt(entry(request, clusterName), 'principalArn') ?? '',
      associatedAccessPolicies: [...policiesOf(request, clusterName)],
    })),
    pages: {
      list: 'associatedAccessPolicies',
      size: 'maxResults',
      sizeMax: 100,
      sizeDefault: 100,
      token: ['nextToken', 'nextToken'],
    },
  },
  ListAddons: lists('addons', (request, cluster) =>
    textsOf(ownIn(request, 'addon', cluster), 'addonName'),
  ),
  DescribeAddon: ofCluster((request, cluster) => {
    const name = textIn(request.input, 'addonName') ?? '';
    return {
      addon: one(
        request,
        'addon',
        `${cluster}/${name}`,
        `No addon: ${name} found in cluster: ${cluster}`,
      ),
    };
  }),
  UpdateAddon: ofCluster(updateAddon),
  ListPodIdentityAssociations: lists('associations', associations),
  DescribePodIdentityAssociation: ofCluster((request) => ({ association: association(request) })),
  CreatePodIdentityAssociation: ofCluster(({ account, input }, cluster) => ({
    association: createAssociation(account, {
      cluster,
      namespace: textIn(input, 'namespace') ?? '',
      serviceAccount: textIn(input, 'serviceAccount') ?? '',
      roleArn: textIn(input, 'roleArn') ?? '',
    }),
  })),
  DeletePodIdentityAssociation: ofCluster((request) => {
    const found = association(request);
    const { account } = request;
    account.plain['pod-identity'].delete(
      textAt(found, 'associationId') ?? '',
      account.kernel.nowMs(),
    );
    return { association: found };
  }),
  AssumeRoleForPodIdentity: ofCluster(assumeForPod),
  ListInsights: lists('insights', (request, cluster) =>
    ownIn(request, 'insight', cluster).map(({ clusterName: _cluster, ...row }) => row),
  ),
  DescribeInsight: ofCluster((request) => {
    const id = textIn(request.input, 'id') ?? '';
    const { clusterName: _cluster, ...insight } = one(
      request,
      'insight',
      id,
      `No insight found for id: ${id}`,
    );
    return { insight };
  }),
  ListUpdates: lists('updateIds', updatesOf),
  DescribeUpdate: ofCluster((request) => {
    const id = textIn(request.input, 'updateId') ?? '';
    const found = one(request, 'update', id, `No update found for ID: ${id}`);
    return { update: objectIn(found, 'update') };
  }),
};
