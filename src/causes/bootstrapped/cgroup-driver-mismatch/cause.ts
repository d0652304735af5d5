import {
  clear,
  defineCause,
  found,
  matched,
  step,
  type Match,
  type Step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import { foreseenByKubeadm } from '../../../diagnosis/foreseen-kubeadm.ts';
import { NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { kubeletFlag } from '../../../domain/planned/kubeadm.ts';

/** Kubelet and container runtime do not manage cgroups the same way, or the host's version is refused. */
const cause = defineCause({
  id: 'cgroup-driver-mismatch',
  stage: 'bootstrapped',
  title: 'kubelet and container runtime disagree on cgroups',
  scope: 'machine',
  signs: {
    driversDiffer: definite(
      ['kubelet'],
      /kubelet cgroup driver: ["']{0,3}(?<kubelet>\w+)["']{0,3} is different from docker cgroup driver: ["']{0,3}(?<runtime>\w+)/,
    ),
    wrongPath: definite(
      ['kubelet', 'containerd', 'event', 'pod-status'],
      /expected cgroupsPath to be of format "?slice:prefix:name"? for systemd cgroups, got|configured with systemd cgroup manager, but did not receive slice as parent/,
    ),
    versionRefused: definite(
      ['kubelet'],
      /kubelet is configured to not run on a host using (?<version>cgroup v1)/,
    ),
    subsystemMissing: definite(
      ['kubelet'],
      /system validation failed - Following Cgroup subsystem not mounted: \[(?<missing>[^\]]*)\]/,
    ),
    systemdAbsent: definite(
      ['kubelet'],
      /(?<systemd>systemd) not running on this host, cannot use systemd cgroups manager/,
    ),
    driverUnknown: definite(['kubelet'], /runtime returned an unknown cgroup driver/),
    controllersMissing: definite(
      ['kubelet'],
      /cgroup \[[^\]]{0,80}\] has some missing controllers: (?<missing>[\w, ]{1,80})/,
      { anchors: ['has some missing controllers: '] },
    ),
    topLevelNotCreated: context(
      ['kubelet'],
      /failed to initialize top level QOS containers|cpu and memory cgroup hierarchy not unified|failed to find cgroup mounts/,
    ),
    runtimeSystemd: context(
      ['host-file', 'client-output', 'user-data'],
      /native\.cgroupdriver=systemd|\bSystemdCgroup\s?=\s?true|Cgroup Driver: systemd/,
    ),
    runtimeCgroupfs: context(
      ['host-file', 'client-output', 'user-data'],
      /native\.cgroupdriver=cgroupfs|\bSystemdCgroup\s?=\s?false|Cgroup Driver: cgroupfs/,
    ),
    kubeletSystemd: context(
      ['host-file', 'client-output', 'user-data'],
      /--cgroup-driver=systemd|\bcgroupDriver:\s{1,4}"?systemd/,
    ),
    kubeletCgroupfs: context(
      ['host-file', 'client-output', 'user-data'],
      /--cgroup-driver=cgroupfs|\bcgroupDriver:\s{1,4}"?cgroupfs/,
    ),
  },
  needs: [],
  symptoms: [],
  summary: ({ machine, kubelet, runtime, version, missing, systemd }) =>
    `On ${machine ?? 'the machine'} ${systemd === undefined ? reasonOf(kubelet, runtime, version, missing) : 'the kubelet uses the cgroup driver systemd, and systemd does not run there'}, so no pod can be started.`,
  remedy: ({ version, systemd }) => [remedyOf(version, systemd)],
  decide: step(
    'Compare both settings and the host’s cgroup version.',
    'stat -fc %T /sys/fs/cgroup; sudo containerd config dump | grep SystemdCgroup; sudo grep -rn cgroupDriver /var/lib/kubelet/config.yaml /etc/kubernetes/kubelet',
  ),
  page: {
    why: 'Kubelet and runtime create the cgroups of pods together, so both must use systemd or both cgroupfs. A runtime installed from a distribution package starts with cgroupfs; kubeadm and EKS use systemd. New kubelets also refuse hosts with cgroup v1.',
    prevent: 'Generate containerd’s configuration with SystemdCgroup = true in the image build.',
    notThis:
      'containerd with cgroupfs under a systemd kubelet may print nothing at all: pods restart for no reason. A runtime that does not answer is container-runtime-down.',
    alsoKnownAs: [
      'misconfiguration: kubelet cgroup driver: "systemd" is different from docker cgroup driver: "cgroupfs"',
    ],
    refs: ['https://kubernetes.io/docs/setup/production-environment/container-runtimes/'],
  },
});

function reasonOf(kubelet?: string, runtime?: string, version?: string, missing?: string): string {
  if (version !== undefined) return `the host uses ${version}, which this kubelet refuses`;
  if (missing !== undefined) return `the cgroup controllers ${missing} are not there`;
  if (kubelet === undefined) return 'the runtime uses systemd cgroups and the kubelet cgroupfs';
  return `the kubelet uses the cgroup driver ${kubelet} and the runtime ${runtime ?? 'another'}`;
}

function remedyOf(version?: string, systemd?: string): Step {
  if (version !== undefined) {
    return step(
      'Use an image with cgroup v2 (Amazon Linux 2023, current Ubuntu or RHEL), or set failCgroupV1: false for the time being.',
      'stat -fc %T /sys/fs/cgroup; grep -rn failCgroupV1 /etc/kubernetes/kubelet /var/lib/kubelet/config.yaml',
    );
  }
  if (systemd !== undefined) {
    return step(
      'Boot the image with systemd, or set cgroupDriver: cgroupfs in the kubelet’s configuration and SystemdCgroup = false in containerd’s.',
      'ps -p 1 -o comm=; sudo grep -rn cgroupDriver /var/lib/kubelet/config.yaml',
    );
  }
  return step(
    'Let both use systemd: SystemdCgroup = true for runc in containerd’s configuration, cgroupDriver: systemd in the kubelet’s.',
    "sudo sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' /etc/containerd/config.toml && sudo systemctl restart containerd kubelet",
  );
}

const judged = matched(cause, matchSettings);

/** Both settings are here, each names one driver, and they differ. */
function matchSettings(view: ViewOf<typeof cause>): Match | null {
  const kubelet = { systemd: view.sign('kubeletSystemd'), cgroupfs: view.sign('kubeletCgroupfs') };
  const runtime = { systemd: view.sign('runtimeSystemd'), cgroupfs: view.sign('runtimeCgroupfs') };
  const said = view.anySign('driversDiffer', 'wrongPath', 'versionRefused', 'subsystemMissing');
  for (const [own, other] of [
    ['cgroupfs', 'systemd'],
    ['systemd', 'cgroupfs'],
  ] as const) {
    const [a, b] = [kubelet[own], runtime[other]];
    if (said || a === null || b === null) continue;
    if (kubelet[other] !== null || runtime[own] !== null) continue;
    return found({ kubelet: own, runtime: other }, [a.first, b.first], 'likely');
  }
  return null;
}

/** From this release on the kubelet may ask containerd for its driver. */
const ASKS_SINCE = 31;

export default foreseenByKubeadm(
  judged,
  (plan, { fact, own, minor }) => {
    const flag = kubeletFlag(own, 'cgroup-driver');
    const given = flag === null ? (own.kubelet === null ? null : own.kubelet.cgroupDriver) : flag;
    const runtime = own.runtimeDriver;
    if (runtime === null || given === undefined) return NOT_SHOWN;
    // kubeadm writes systemd where nothing is given.
    const kubelet = given ?? 'systemd';
    if (kubelet === runtime) return clear;
    if (minor === null || minor >= ASKS_SINCE) return NOT_SHOWN;
    const field =
      flag === null ? 'KubeletConfiguration cgroupDriver' : 'kubeletExtraArgs cgroup-driver';
    return found(
      { kubelet, runtime },
      [
        plan.quote(fact, `${field} ${given === null ? 'is not set, which is systemd' : kubelet}`),
        plan.quote(
          fact,
          `user data sets SystemdCgroup = ${runtime === 'systemd' ? 'true' : 'false'} for containerd`,
        ),
      ],
      'likely',
    );
  },
  {
    summary: ({ planned, kubelet, runtime }) =>
      `On ${planned ?? 'the machines'} the kubelet will use the cgroup driver ${kubelet ?? ''} and containerd ${runtime ?? ''}: pods will be killed and started again for no visible reason.`,
    remedy: () => [
      step(
        'Set SystemdCgroup = true for runc in containerd’s configuration, and cgroupDriver: systemd in the KubeletConfiguration.',
      ),
    ],
  },
);
