import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';

/** A program of the pod network cannot listen, because another holds its port on the host. */
export default defineCause({
  id: 'cni-port-conflict',
  stage: 'networked',
  title: 'the CNI or its network policy agent cannot bind its port, which another program holds',
  scope: 'machine',
  signs: {
    knownPort: likely(
      [
        'aws-node',
        'ipamd',
        'cilium',
        'calico-node',
        'pod-app',
        'event',
        'pod-status',
        'client-output',
      ],
      /(?:listen|bind).{0,60}?(?::(?<port>61678|61679|8162|8163|9876|9879|9890|9891|4240|4244)|127\.0\.0\.1:(?<port2>50051|50052|9098|9099)): (?:bind: )?[Aa]ddress already in use/,
      // Other programs listen on these too, so it is not certain whose line it is.
      { anchors: ['ddress already in use'] },
    ),
    birdSays: likely(
      ['calico-node', 'event', 'client-output', 'pod-app', 'unknown'],
      /\b(?<agent>bird6?): BGP: (?:Socket error: (?:listen|bind): Address (?:already )?in use|Cannot open listening socket)/,
      { anchors: ['BGP: Socket error', 'BGP: Cannot open listening'] },
    ),
    agentSays: definite(
      ['aws-node', 'ipamd', 'pod-app', 'event', 'pod-status', 'client-output'],
      /(?<agent>network policy agent|ipamd): failed to listen (?:to gRPC port|on [Uu]nix socket)(?:.*:(?<port>\d{2,5}): bind: address already in use)?/,
    ),
    metricsOfAgent: likely(
      ['aws-node', 'pod-app', 'client-output', 'event'],
      /(?<agent>nodeagent|network-policy-agent|aws-node|amazon-vpc-cni|cilium|calico|felix)\b.{0,300}listen tcp\d? \S{0,60}:(?<port>\d{2,5}): bind: address already in use/,
    ),
    ofItsLog: likely(
      ['aws-node', 'ipamd', 'cilium', 'calico-node'],
      /listen (?:tcp|udp)\d? \S{0,60}:(?<port>\d{2,5}): bind: address already in use/,
      { strict: true },
    ),
  },
  needs: [],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized'],
  withdrawnBy: ['node-ready', 'networking-initialized'],
  explains: ['cni-killed-by-own-probes', 'cni-configuration-missing'],
  summary: ({ node, machine, port, port2, agent }) =>
    `${agent === undefined ? 'The pod network’s agent' : `The ${agent}`} on ${node ?? machine ?? 'the node'} cannot listen on port ${port ?? port2 ?? 'it needs'}, which another program on the host holds, so its pod does not become ready.`,
  remedy: ({ port, port2 }) => [
    step(
      'See which program holds the port.',
      `sudo ss -lntup | grep :${port ?? port2 ?? '<port>'}`,
    ),
    step(
      'Find pods that take ports of the host.',
      'kubectl get pods -A -o jsonpath=\'{range .items[*]}{.metadata.namespace}/{.metadata.name} {.spec.hostNetwork} {.spec.containers[*].ports[*].hostPort}{"\\n"}{end}\' | grep -E "true|[0-9]"',
    ),
    step(
      'Move that program, or give the network policy agent other ports (metrics and health).',
      'aws eks update-addon --cluster-name <cluster> --addon-name vpc-cni --resolve-conflicts PRESERVE --configuration-values \'{"nodeAgent":{"metricsBindAddr":"9162","healthProbeBindAddr":"9163"}}\'',
    ),
  ],
  decide: step('See who listens on the port that the log names.', 'sudo ss -lntup'),
  page: {
    why: 'The daemons of a pod network run on the host’s network and have fixed ports there: 50051, 50052, 61678, 61679, 8162 and 8163 for the VPC CNI and its network policy agent (8080 and 8081 in their first releases), 9099 for Calico, 4240, 4244 and 9876 and following for Cilium. An ingress, an exporter or a second copy on the same ports keeps them from starting.',
    prevent:
      'Keep host ports of workloads away from these, and read the release notes when an add-on begins to listen.',
    notThis:
      'A kubelet or kubeadm that finds its port in use is kubeadm-preflight-failed. A probe that fails without such a line is cni-killed-by-own-probes.',
    alsoKnownAs: [
      'listen tcp 127.0.0.1:50052: bind: address already in use',
      'network policy agent: failed to listen to gRPC port',
    ],
    refs: [
      'https://github.com/aws/aws-network-policy-agent/issues/435',
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/2539',
      'https://github.com/aws/amazon-vpc-cni-k8s/pull/2544',
    ],
  },
});
