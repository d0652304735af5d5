import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';

/** kops-controller does not believe that the caller is a node of the cluster. */
export default defineCause({
  id: 'identity-rejected-by-kops-controller',
  stage: 'authenticated',
  title: 'kops-controller rejects the identity of the node',
  scope: 'machine',
  signs: {
    refusedAtNode: definite(
      ['nodeup', 'cloud-init', 'console'],
      /(?:kops-controller|bootstrap) returned status code 403(?!.*sending STS request)/,
    ),
    roleNotKnown: definite(
      ['kops-controller'],
      /bootstrap (?<node>\d+\.\d+\.\d+\.\d+):\d+ verify err: .*arn "(?<role>[^"]+)" does not contain acceptable node role/,
    ),
    notVerified: definite(
      ['kops-controller'],
      /bootstrap (?<node>\d+\.\d+\.\d+\.\d+):\d+ verify err: .*(?<reason>incorrect account|not in partion|received status code \d+ from STS|missing instance id|incorrect authorization (?:type|algorithm|format)|incorrect SHA|invalid STS url|url not valid for STS request|unexpected (?:signed headers|signature|credential) value)/,
    ),
    keypairDiffers: definite(
      ['kops-controller', 'nodeup'],
      /request's (?<reason>keypair ID) .{0,200} didn't match server's/,
      { anchors: ["didn't match server's"] },
    ),
    tokenNotVerified: likely(
      ['kops-controller', 'nodeup', 'cloud-init', 'console', 'client-output', 'journal'],
      /failed to verify token\b.{0,40}(?<reason>received status code \d{3} from STS)/,
    ),
  },
  needs: [],
  symptoms: ['node-object-missing'],
  summary: ({ machine, role, reason }) =>
    `kops-controller does not accept ${machine ?? 'the machine'} as a node${role === undefined ? (reason === undefined ? '' : ` (${reason})`) : `: ${role} is not a role of its nodes`}, so nodeup gets no certificate.`,
  remedy: () => [
    step(
      'Read the real reason on the control plane; the machine is only told 403.',
      'kubectl -n kube-system logs -l k8s-app=kops-controller --tail=200 | grep -E "verify err|issue err"',
    ),
    step(
      'A role of your own: add it under spec.cloudProvider… additionalNodeRoles; a keypair that differs: finish the rotation.',
      'kops update cluster --yes && kops rolling-update cluster --yes',
    ),
  ],
  decide: step(
    'Read what kops-controller says about this machine.',
    'kubectl -n kube-system logs -l k8s-app=kops-controller --tail=200 | grep -E "verify err|issue err"',
  ),
  page: {
    why: 'A kOps node proves who it is with a signed call to STS. kops-controller checks account, partition, role and instance, and the key pair it should sign with; the answer to the node hides which check failed.',
    prevent: 'Let kOps make instance profiles, and roll all groups after a key rotation.',
    notThis:
      'Status 409 is existing-node-blocks-rebootstrap. No answer at all is a matter of reaching port 3988.',
    refs: [
      'https://github.com/kubernetes/kops/issues/12299',
      'https://github.com/kubernetes/kops/blob/HEAD/pkg/bootstrap/awsbootstrap/verifier.go',
    ],
  },
});
