import { type Json, textAt } from '../../evidence/json.ts';
import { looksLikeMime, readMime } from '../aws/mime.ts';
import { base64 } from '../written/base64.ts';
import { mimeOf, type Part } from '../written/mime.ts';

export type KarpenterFamily = 'al2' | 'al2023' | 'bottlerocket' | 'windows' | 'custom';

const CLUSTER = 'known-to-karpenter';
const ENDPOINT = 'https://known-to-karpenter';
const AUTHORITY = 'a25vd24=';

/**
 * The user data that Karpenter launches a machine with: that of the class with its own part behind
 * it, or that of the class alone for the family Custom. In base64; undefined where nobody can tell.
 */
export function userDataOf(
  spec: Json | undefined,
  family: KarpenterFamily | null,
): string | null | undefined {
  const given = textAt(spec, 'userData');
  if (family === 'custom') return given === null ? null : base64(given);
  if (given !== null && family !== 'windows' && isBroken(given, family)) return base64(given);
  const maxPods = textAt(spec, 'kubelet.maxPods');
  if (family === 'al2023') return mimeOf([...partsOf(given), nodeConfig(maxPods)]);
  if (family === 'al2') return mimeOf([...partsOf(given), bootstrap(maxPods)]);
  return family === 'bottlerocket' ? base64(settings(maxPods)) : undefined;
}

/** What Karpenter cannot put its own part behind is shown as it is. */
function isBroken(given: string, family: KarpenterFamily | null): boolean {
  if (family === 'bottlerocket') return !/^[ \t]{0,64}\[[ \t]{0,64}settings\b/m.test(given);
  return looksLikeMime(given) && readMime(given).fault !== null;
}

function partsOf(given: string | null): readonly Part[] {
  if (given === null) return [];
  if (!looksLikeMime(given)) return [partOf('', given)];
  return readMime(given).parts.map(({ type, body }) => partOf(type, body));
}

function partOf(type: string, body: string): Part {
  const isConfig =
    type === 'application/node.eks.aws' ||
    /^(?:---\s*\n)?(?:kind: NodeConfig|apiVersion: node\.eks\.aws\/)/.test(body.trimStart());
  return { type: isConfig ? 'application/node.eks.aws' : 'text/x-shellscript', body };
}

function nodeConfig(maxPods: string | null): Part {
  const body = [
    'apiVersion: node.eks.aws/v1alpha1',
    'kind: NodeConfig',
    'spec:',
    '  cluster:',
    `    name: ${CLUSTER}`,
    `    apiServerEndpoint: ${ENDPOINT}`,
    `    certificateAuthority: ${AUTHORITY}`,
    '    cidr: 10.100.0.0/16',
    ...(maxPods === null ? [] : ['  kubelet:', '    config:', `      maxPods: ${maxPods}`]),
  ];
  return { type: 'application/node.eks.aws', body: body.join('\n') };
}

function bootstrap(maxPods: string | null): Part {
  const flags = maxPods === null ? '' : ` --kubelet-extra-args '--max-pods=${maxPods}'`;
  const call = `/etc/eks/bootstrap.sh '${CLUSTER}' --apiserver-endpoint '${ENDPOINT}' --b64-cluster-ca '${AUTHORITY}'${flags}`;
  return { type: 'text/x-shellscript', body: `#!/bin/bash\n${call}` };
}

function settings(maxPods: string | null): string {
  const rows = [
    '[settings.kubernetes]',
    `api-server = "${ENDPOINT}"`,
    `cluster-certificate = "${AUTHORITY}"`,
    ...(maxPods === null ? [] : [`max-pods = ${maxPods}`]),
  ];
  return `${rows.join('\n')}\n`;
}
