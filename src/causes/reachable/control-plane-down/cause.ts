import { defineCause, step } from '../../../diagnosis/cause.ts';
import { likely } from '../../../diagnosis/sign.ts';

/** The address of the API server answers, and refuses the connection: nothing listens there. */
export default defineCause({
  id: 'control-plane-down',
  stage: 'reachable',
  title: 'nothing listens at the API server’s address',
  scope: 'machine',
  signs: {
    registrationRefused: likely(
      ['kubelet', 'bottlerocket'],
      /[Uu]nable to register node.*dial tcp (?<address>(?!127\.|\[::1\])[\d.a-f:[\]]+:\d+): connect: connection refused/,
      { atLeast: 6 },
    ),
    discoveryRefused: likely(
      ['kubeadm', 'cloud-init'],
      /error execution phase preflight: couldn't validate the identity of the API Server(?!.*proxyconnect tcp).*dial tcp (?<address>[\d.a-f:[\]]+:\d+): connect: connection refused/,
      { anchors: ['connect: connection refused'] },
    ),
    ownServerRefuses: likely(
      ['kubelet'],
      /(?:Failed to (?:list|watch) \*(?:v1|api)\.(?:Node|Service|Pod|CSIDriver|RuntimeClass)\b|Failed to contact API server when waiting for CSINode publishing|Unable to register node with API server|[Ff]ailed to ensure lease exists|Error updating node status|Error getting node|Failed to get status for pod|Failed to update lease|Unable to write event).*dial tcp (?<address>(?:127\.0\.0\.1|\[::1\]):443): (?:(?:connect|getsockopt): )?connection refused/,
      {
        anchors: ['127.0.0.1:443: ', '[::1]:443: '],
        atLeast: 20,
        enoughOnce: 'end',
      },
    ),
    // kubectl's own words; localhost:8080 is where it looks without a kubeconfig.
    clientRefused: likely(
      ['client-output', 'kubeadm', 'unknown'],
      /The connection to the server (?<address>(?!\S{1,100}:8080\b)\S{4,120}:\d{2,5}) was refused - did you specify the right host or port|(?:memcache\.go:\d+\]|couldn't get current server API group list).{0,160}dial tcp (?<address2>(?!\S{1,60}:8080: )\S{4,60}:\d{2,5}): connect: connection refused/,
      { anchors: ['The connection to the server ', 'connect: connection refused'] },
    ),
    // openshift-install waits for 20 minutes before it says so.
    bootstrapRefuses: likely(
      ['client-output', 'unknown', 'terraform'],
      /Bootstrap failed to complete: .{0,200}dial tcp (?<address>[\d.a-f:[\]]+:6443): connect: connection refused/,
    ),
  },
  needs: [],
  symptoms: ['api-silent'],
  withdrawnBy: ['api-answered', 'joined', 'node-registered', 'node-ready'],
  explains: ['failed-user-script'],
  summary: ({ address, machine }) =>
    `${machine ?? 'The machine'} reaches ${address ?? 'the API server’s address'} and is refused: no API server listens there, or its load balancer has no healthy target.`,
  remedy: ({ address }) => [
    step(
      'On a control-plane machine: see whether API server and etcd run, and what they last said.',
      'sudo crictl ps -a --name "kube-apiserver|etcd"; sudo crictl logs --tail 40 $(sudo crictl ps -a -q --name kube-apiserver | head -n 1)',
    ),
    step(
      'Behind a load balancer: see whether a target is healthy.',
      'aws elbv2 describe-target-health --target-group-arn <target-group-arn> --query TargetHealthDescriptions[].[Target.Id,TargetHealth]',
    ),
    step(
      'Make sure that machines are given the right address and port.',
      `nc -vz ${address?.replace(/:(\d+)$/, ' $1') ?? '<control-plane-address> 6443'}`,
    ),
  ],
  decide: step(
    'Ask the API server for its health from the machine and from a control-plane machine.',
    'curl -sk -m 10 https://<control-plane-address>:6443/livez?verbose',
  ),
  page: {
    why: 'A refusal comes from the host: the address is right in the network, but the API server is not up (etcd, a certificate, a bad flag, a full disk) or listens elsewhere.',
    prevent:
      'Run three control-plane machines behind a load balancer with health checks on /readyz.',
    notThis:
      'A time-out is api-port-blocked or another network cause. On EKS the endpoint never refuses; look for a proxy or a wrong address. A control-plane machine’s own kubelet is refused for some seconds while its API server starts. 127.0.0.1 is a local proxy that is not up.',
    alsoKnownAs: ['connect: connection refused 6443'],
    refs: [
      'https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/',
      'https://kubernetes.io/docs/tasks/debug/debug-cluster/',
    ],
  },
});
