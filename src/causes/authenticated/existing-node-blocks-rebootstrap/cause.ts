import { defineCause, step } from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { likely } from '../../../diagnosis/sign.ts';

/** A Ready Node of that name exists, so kops-controller gives out no second certificate. */
export default defineCause({
  id: 'existing-node-blocks-rebootstrap',
  stage: 'authenticated',
  title: 'kops-controller refuses because a Ready Node of that name exists',
  scope: 'machine',
  signs: {
    deniedByServer: likely(
      ['kops-controller'],
      /node "(?<node>[^"]+)" already exists; denying to avoid node-impersonation attacks/,
    ),
    conflictAtNode: likely(
      ['nodeup', 'cloud-init', 'console'],
      /(?:kops-controller|bootstrap) returned status code 409/,
    ),
  },
  needs: [],
  symptoms: ['node-object-missing'],
  // A Ready Node of that name is what the refusal is about, so that it tells nothing of the machine.
  withdrawnBy: ['kubelet-started', 'node-registered'],
  summary: ({ node, machine }) =>
    sentence`A Ready Node ${node ?? machine} exists already, so kops-controller answers 409 and nodeup ends as if all were well, without a kubelet configuration.`,
  remedy: ({ node }) => [
    step(
      'See which instance the Node belongs to.',
      `kubectl get node ${node ?? '<node>'} -o jsonpath='{.spec.providerID}'`,
    ),
    step(
      'When that is not this machine, or is this machine rebuilt, delete the Node and run the bootstrap again.',
      `kubectl delete node ${node ?? '<node>'} && sudo systemctl restart kops-configuration`,
    ),
  ],
  decide: step(
    'Compare the instance id of the Node with the machine’s own.',
    "kubectl get node <node> -o jsonpath='{.spec.providerID}'; cat /var/lib/cloud/data/instance-id",
  ),
  page: {
    why: 'Whoever can reach kops-controller from a node could otherwise ask for that node’s certificate again. A replaced machine that gets the same name before the old Node is gone meets the same rule.',
    prevent: 'Nodes named after instance ids, or the old Node deleted with its instance.',
    notThis:
      'A machine that was only rebooted gets 409 too and works on with the certificate it has: nothing is wrong there. Status 403 is identity-rejected-by-kops-controller.',
    refs: ['https://github.com/kubernetes/kops/blob/HEAD/cmd/kops-controller/pkg/server/server.go'],
  },
});
