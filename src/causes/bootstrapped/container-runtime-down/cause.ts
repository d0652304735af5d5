import { clear, defineCause, found, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { foreseenByKubeadm } from '../../../diagnosis/foreseen-kubeadm.ts';
import { NOT_SHOWN } from '../../../diagnosis/foresight.ts';

/** There is no container runtime that answers the kubelet. */
const judged = defineCause({
  id: 'container-runtime-down',
  stage: 'bootstrapped',
  title: 'the container runtime does not run, or its CRI plugin is disabled',
  scope: 'machine',
  signs: {
    criNotImplemented: definite(
      ['kubelet', 'kubeadm', 'cloud-init', 'client-output'],
      /CRI v1 (?:runtime|image) API is not implemented for endpoint "?(?<endpoint>[^\s",:]+:?[^\s",:]*)/,
    ),
    serviceUnknown: definite(
      ['kubelet', 'kubeadm', 'cloud-init'],
      /unknown service (?<service>runtime\.v1(?:alpha2)?\.(?:Runtime|Image)Service)/,
      { anchors: ['unknown service runtime.v1'], strict: true },
    ),
    kubeadmCri: definite(['kubeadm', 'cloud-init', 'console'], /\[ERROR CRI\]/),
    socketSilent: likely(
      ['kubelet'],
      /(?:validate service connection: |Version from runtime service failed" err="|failed to run Kubelet: .*(?:get remote runtime typed version failed|unable to determine runtime API version): |Container runtime sanity check failed" err=").*dial unix (?<endpoint>\/\S+\.sock): connect: (?<reason>no such file or directory|connection refused)/,
      {
        anchors: [
          'validate service connection',
          'Version from runtime service failed',
          'get remote runtime typed version failed',
          'unable to determine runtime API version',
          'Container runtime sanity check failed',
        ],
        atLeast: 3,
        enoughOnce: 'alone',
      },
    ),
    dockerSilent: likely(
      ['kubelet', 'kubeadm', 'client-output'],
      /Cannot connect to the Docker daemon at (?<endpoint>unix:\/\/\/\S{1,60}\.sock)|failed to get docker version: Cannot connect to the Docker daemon/,
      { anchors: ['Cannot connect to the Docker daemon'], atLeast: 3, enoughOnce: 'alone' },
    ),
    // systemd has given the runtime's unit up.
    unitFailed: likely(
      ['containerd', 'journal', 'console', 'kubelet', 'client-output'],
      /\b(?<unit>containerd|docker|crio)\.service: (?:Failed with result '(?!timeout)[\w-]{1,20}'|[Ss]tart request repeated too quickly)/,
      {
        anchors: ['containerd.service: ', 'docker.service: ', 'crio.service: '],
      },
    ),
    unitStarted: withdraws(
      ['containerd', 'journal', 'console', 'kubelet', 'client-output'],
      /Started (?:containerd container runtime|Docker Application Container Engine)|containerd successfully booted/,
    ),
    // Without its tag the line is taken for one of the kubelet's that stand around it.
    configBroken: definite(
      ['containerd', 'journal', 'kubelet'],
      /containerd: failed to (?:load|unmarshal) (?:TOML|config)[^"]{0,200}|(?<reason>failed to load TOML[^"]{0,160})|invalid disabled plugin URI/,
    ),
    silentFromTheStart: context(['kubelet'], /container runtime is down/),
    pluginRefused: definite(
      ['containerd', 'journal', 'kubelet'],
      /invalid (?:plugin config|cri image config): (?<reason>(?!.*no space left)[^"\n]{1,160})/,
      { anchors: ['invalid plugin config: ', 'invalid cri image config: '] },
    ),
    apiVersionRefused: definite(['kubelet'], /This runtime api version is not supported/),
    criEnded: likely(
      ['containerd', 'journal'],
      /Failed to run CRI service"? error="(?<reason>(?!.*no space left)[^"\n]{1,160})/,
      { anchors: ['Failed to run CRI service'] },
    ),
    criNotCreated: context(['containerd', 'journal'], /failed to create CRI service: \S/),
    statusEmpty: context(['kubelet'], /Container runtime status is nil/),
  },
  needs: [],
  symptoms: [],
  explains: ['kubeadm-preflight-failed', 'failed-user-script'],
  summary: ({ machine, endpoint, service, reason }) =>
    service === undefined && reason === undefined
      ? sentence`The container runtime of ${machine ?? 'the machine'}${phrase` at ${endpoint}`} does not serve the kubelet, which therefore cannot start.`
      : `The container runtime of ${machine ?? 'the machine'} does not serve the kubelet (${reason?.trim() ?? `${service} is switched off or too old`}), which therefore cannot start.`,
  remedy: () => [
    step(
      'Read why the runtime stopped, and whether its configuration disables CRI.',
      'systemctl status containerd --no-pager; journalctl -u containerd -n 40 --no-pager; grep -n disabled_plugins /etc/containerd/config.toml',
    ),
    step(
      'Write a complete configuration and start both again (containerd 1.6 or later for kubelets of 1.26 and later).',
      "sudo sh -c 'containerd config default > /etc/containerd/config.toml' && sudo sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' /etc/containerd/config.toml && sudo systemctl restart containerd kubelet && sudo crictl info",
    ),
  ],
  decide: step(
    'Ask the runtime itself.',
    'systemctl is-active containerd; sudo crictl --runtime-endpoint unix:///run/containerd/containerd.sock info | head -n 20',
  ),
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

/** The release from which on kubelets have no dockershim. */
const NO_DOCKERSHIM_SINCE = 24;

export default foreseenByKubeadm(
  judged,
  (plan, { fact, own, minor }) => {
    const shim = own.registrations.find(({ criSocket }) =>
      /\bdockershim\.sock$/.test(criSocket ?? ''),
    );
    if (shim === undefined) {
      const sockets = own.registrations.map(({ criSocket }) => criSocket);
      return sockets.length > 0 && sockets.every((one) => typeof one === 'string')
        ? clear
        : NOT_SHOWN;
    }
    if (minor === null) return NOT_SHOWN;
    if (minor < NO_DOCKERSHIM_SINCE) return clear;
    const words = `${shim.of} nodeRegistration.criSocket ${shim.criSocket ?? ''}`;
    return found({ endpoint: shim.criSocket ?? '' }, [plan.quote(fact, words)]);
  },
  {
    summary: ({ planned, endpoint }) =>
      `Nothing serves the kubelet of ${planned ?? 'the machine'} at ${endpoint ?? 'its criSocket'}: Kubernetes has no dockershim since 1.${NO_DOCKERSHIM_SINCE}.`,
    remedy: () => [
      step(
        'Set criSocket to unix:///run/containerd/containerd.sock, or to unix:///run/cri-dockerd.sock where cri-dockerd runs.',
      ),
    ],
  },
);
