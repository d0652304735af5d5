import { defineCause } from '../../../diagnosis/cause.ts';

/** There is no container runtime that answers the kubelet. */
export default defineCause({
  id: 'container-runtime-down',
  stage: 'bootstrapped',
  title: 'the container runtime does not run, or its CRI plugin is disabled',
  scope: 'machine',
  signs: {
    criNotImplemented: {
      in: ['kubelet', 'kubeadm', 'cloud-init', 'client-output'],
      anchors: ['API is not implemented for endpoint'],
      pattern:
        /CRI v1 (?:runtime|image) API is not implemented for endpoint "?(?<endpoint>[^\s",:]+:?[^\s",:]*)/,
      weight: 'definite',
    },
    serviceUnknown: {
      in: ['kubelet', 'kubeadm', 'cloud-init'],
      anchors: ['unknown service runtime.v1'],
      pattern: /unknown service (?<service>runtime\.v1(?:alpha2)?\.(?:Runtime|Image)Service)/,
      weight: 'definite',
      strict: true,
    },
    kubeadmCri: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: ['[ERROR CRI]'],
      pattern: /\[ERROR CRI\]/,
      weight: 'definite',
    },
    socketSilent: {
      in: ['kubelet'],
      anchors: ['validate service connection', 'get remote runtime typed version failed'],
      pattern:
        /(?:validate service connection|failed to run Kubelet: .*get remote runtime typed version failed): .*dial unix (?<endpoint>\/\S+\.sock): connect: (?<reason>no such file or directory|connection refused)/,
      weight: 'likely',
      atLeast: 3,
    },
    dockerSilent: {
      in: ['kubelet'],
      anchors: ['failed to get docker version'],
      pattern: /failed to get docker version: Cannot connect to the Docker daemon/,
      weight: 'likely',
      atLeast: 3,
    },
    configBroken: {
      // Without its tag the line is taken for one of the kubelet's that stand around it.
      in: ['containerd', 'journal', 'kubelet'],
      anchors: [
        'containerd: failed to load',
        'containerd: failed to unmarshal',
        'invalid disabled plugin URI',
        'failed to load TOML',
      ],
      pattern:
        /containerd: failed to (?:load|unmarshal) (?:TOML|config)[^"]{0,200}|(?<reason>failed to load TOML[^"]{0,160})|invalid disabled plugin URI/,
      weight: 'definite',
    },
    silentFromTheStart: {
      in: ['kubelet'],
      anchors: ['container runtime is down'],
      pattern: /container runtime is down/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  explains: ['kubeadm-preflight-failed', 'failed-user-script'],
  summary: ({ machine, endpoint, service, reason }) =>
    service === undefined && reason === undefined
      ? `The container runtime of ${machine ?? 'the machine'}${endpoint === undefined ? '' : ` at ${endpoint}`} does not serve the kubelet, which therefore cannot start.`
      : `The container runtime of ${machine ?? 'the machine'} does not serve the kubelet (${reason?.trim() ?? `${service} is switched off or too old`}), which therefore cannot start.`,
  remedy: () => [
    {
      text: 'Read why the runtime stopped, and whether its configuration disables CRI.',
      command:
        'systemctl status containerd --no-pager; journalctl -u containerd -n 40 --no-pager; grep -n disabled_plugins /etc/containerd/config.toml',
    },
    {
      text: 'Write a complete configuration and start both again (containerd 1.6 or later for kubelets of 1.26 and later).',
      command:
        "sudo sh -c 'containerd config default > /etc/containerd/config.toml' && sudo sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' /etc/containerd/config.toml && sudo systemctl restart containerd kubelet && sudo crictl info",
    },
  ],
  decide: {
    text: 'Ask the runtime itself.',
    command:
      'systemctl is-active containerd; sudo crictl --runtime-endpoint unix:///run/containerd/containerd.sock info | head -n 20',
  },
  page: {
    why: 'The kubelet runs pods through the runtime’s CRI service. Docker’s package of containerd disables it in its configuration, an old containerd speaks only v1alpha2, and a syntax error in the configuration keeps the runtime from starting at all.',
    prevent: 'Generate containerd’s configuration in the image build and start it once there.',
    notThis:
      'The first seconds after boot print that the runtime’s status check has not completed: harmless. A runtime that starts and later hangs is hanging-container-runtime; a full disk root-volume-full-at-boot.',
    alsoKnownAs: [
      '[ERROR CRI]: container runtime is not running',
      'rpc error: code = Unimplemented desc = unknown service runtime.v1alpha2.RuntimeService',
    ],
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/HEAD/cmd/kubeadm/app/preflight/checks.go',
      'https://kubernetes.io/docs/setup/production-environment/container-runtimes/',
    ],
  },
});
