import { at, isObject, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { base64 } from '../written/base64.ts';
import { mimeOf, type Part } from '../written/mime.ts';
import { type ClusterFile, type GroupEntry, imageOf } from './file.ts';

/** Stand for what eksctl writes there once EKS tells it. */
const ENDPOINT = 'https://known-once-the-cluster-is-made';
const AUTHORITY = 'a25vd24=';
const NETWORK = '10.100.0.0/16';

const NODE_CONFIG = 'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n';

/**
 * The user data that eksctl gives the machines of a group, in base64; null where it gives none,
 * undefined where nobody can tell.
 */
export function userDataOf(file: ClusterFile, entry: GroupEntry): string | null | undefined {
  switch (entry.family) {
    case 'al2023':
      return joined(al2023Parts(file, entry));
    case 'al2':
      return joined(al2Parts(file, entry));
    case 'bottlerocket':
      return bottlerocketSettings(file, entry);
    default:
      return undefined;
  }
}

function joined(parts: readonly Part[]): string | null {
  return parts.length === 0 ? null : mimeOf(parts);
}

function textsIn(written: JsonObject, name: string): readonly string[] {
  return listAt(written, name).filter((text) => typeof text === 'string');
}

function shell(body: string): Part {
  return { type: 'text/x-shellscript', body: `#!/bin/bash\n${body}` };
}

/** EKS adds its own part where it chooses the image of a managed group. */
function isCompletedByEks({ isManaged, written }: GroupEntry): boolean {
  return isManaged && imageOf(written) === null;
}

function labelsOf(written: JsonObject): string {
  const labels = at(written, 'labels');
  if (!isObject(labels)) return '';
  return Object.keys(labels)
    .map((name) => `${name}=${textAt({ label: labels[name] ?? null }, 'label') ?? ''}`)
    .join(',');
}

/** What the kubelet is started with beside the name of the cluster. */
function flagsOf(written: JsonObject): readonly string[] {
  const labels = labelsOf(written);
  return labels === '' ? [] : [`--node-labels=${labels}`];
}

function al2023Parts(file: ClusterFile, entry: GroupEntry): readonly Part[] {
  const { written } = entry;
  const maxPods = textAt(written, 'maxPodsPerNode');
  const override = textAt(written, 'overrideBootstrapCommand');
  const configs = [
    ...(isCompletedByEks(entry) || isScript(override) ? [] : [ownConfig(file, written)]),
    ...(maxPods === null
      ? []
      : [`${NODE_CONFIG}  kubelet:\n    config:\n      maxPods: ${maxPods}`]),
    ...(override === null || isScript(override) ? [] : [override]),
  ];
  return [
    ...configs.map((body): Part => ({ type: 'application/node.eks.aws', body })),
    ...textsIn(written, 'preBootstrapCommands').map(shell),
    ...(override !== null && isScript(override) ? [shell(override)] : []),
  ];
}

/** True for a command in the place where images with nodeadm want a NodeConfig. */
function isScript(override: string | null): boolean {
  return override !== null && /^#!|\/etc\/eks\/bootstrap\.sh/m.test(override);
}

function ownConfig({ name }: ClusterFile, written: JsonObject): string {
  const cluster = [
    `    name: ${JSON.stringify(name ?? 'known-once-it-is-made')}`,
    `    apiServerEndpoint: ${ENDPOINT}`,
    `    certificateAuthority: ${AUTHORITY}`,
    `    cidr: ${NETWORK}`,
  ];
  const flags = flagsOf(written).map((flag) => `      - ${JSON.stringify(flag)}`);
  const kubelet = flags.length === 0 ? [] : ['  kubelet:', '    flags:', ...flags];
  return [`${NODE_CONFIG}  cluster:`, ...cluster, ...kubelet].join('\n');
}

/** The one that eksctl's own script changes for a managed group, and calls for others. */
function al2Parts({ name }: ClusterFile, entry: GroupEntry): readonly Part[] {
  const { written } = entry;
  const override = textAt(written, 'overrideBootstrapCommand');
  const maxPods = textAt(written, 'maxPodsPerNode');
  const flags = [
    ...(entry.isManaged ? [] : flagsOf(written)),
    ...(maxPods === null ? [] : [`--max-pods=${maxPods}`]),
  ].join(' ');
  const call = `/etc/eks/bootstrap.sh ${name ?? '$CLUSTER'} --apiserver-endpoint ${ENDPOINT} --b64-cluster-ca ${AUTHORITY} --kubelet-extra-args '${flags.replaceAll("'", '')}'`;
  const isOwnCall = !entry.isManaged && override === null;
  const change = `sed -i 's/KUBELET_EXTRA_ARGS=$2/KUBELET_EXTRA_ARGS="$2 ${flags}"/' /etc/eks/bootstrap.sh`;
  const isChanged = entry.isManaged && imageOf(written) === null && override === null;
  return [
    ...textsIn(written, 'preBootstrapCommands').map(shell),
    ...(override === null ? [] : [shell(override)]),
    ...(isOwnCall ? [shell(call)] : []),
    ...(isChanged && flags !== '' ? [shell(change)] : []),
  ];
}

function bottlerocketSettings({ name }: ClusterFile, { written }: GroupEntry): string {
  const settings = at(written, 'bottlerocket.settings.kubernetes');
  const given = textAt(written, 'maxPodsPerNode') ?? textAt(settings, 'max-pods');
  return base64(
    [
      '[settings.kubernetes]',
      `api-server = "${ENDPOINT}"`,
      `cluster-certificate = "${AUTHORITY}"`,
      ...(name === null ? [] : [`cluster-name = ${JSON.stringify(name)}`]),
      ...(given === null ? [] : [`max-pods = ${given}`]),
      '',
    ].join('\n'),
  );
}
