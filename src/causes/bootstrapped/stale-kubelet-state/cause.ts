import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';

/** The kubelet stops on state or reservations that do not fit this machine. */
export default defineCause({
  id: 'stale-kubelet-state',
  stage: 'bootstrapped',
  title: 'the kubelet stops on state or reservations that do not fit the machine',
  scope: 'machine',
  signs: {
    checkpoint: definite(
      ['kubelet'],
      /could not restore state from checkpoint: (?<reason>[^,]{0,160})(?:, please.*?checkpoint file "?(?<file>\/[\w./-]+))?/i,
      { anchors: ['could not restore state from checkpoint'] },
    ),
    stateFile: definite(
      ['kubelet'],
      /state file: unable to restore state from disk \((?<reason>.{0,160}?)\)(?:.*?state file "?(?<file>\/[\w./-]+))?/,
    ),
    allocatable: definite(
      ['kubelet'],
      /[Ii]nvalid Node Allocatable configuration\.? ?(?<reason>Resource "?[\w.-]+"? has an allocatable of [^,]{0,80})?/,
    ),
    stateContradicts: definite(
      ['kubelet'],
      /(?<reason>current set of available CPUs \S{0,80} doesn't match with CPUs in state|(?:not all|some of strictly) reserved cpus: \S{0,80} are present in defaultCpuSet|\[memorymanager\] the expected machine state is different from the real one|start cpu manager error: unknown CPU ID: \d+|cpuset: \S{1,80} overlaps with default cpuset|remove DRA state file, err: checkpoint is corrupted)/,
      {
        anchors: [
          'match with CPUs in state',
          'are present in defaultCpuSet',
          'the expected machine state is different from the real one',
          'start cpu manager error: unknown CPU ID',
          'overlaps with default cpuset',
          'remove DRA state file, err: checkpoint is corrupted',
        ],
      },
    ),
    rootDevice: likely(
      ['kubelet'],
      /Failed to start ContainerManager.*(?<reason>failed to get rootfs info[^"]{0,120})/,
      { anchors: ['failed to get rootfs info'], atLeast: 3 },
    ),
  },
  needs: [],
  symptoms: [],
  summary: ({ machine, reason }) =>
    `The kubelet of ${machine ?? 'the machine'} stops at every start (${reason?.trim() ?? 'its saved state does not fit its configuration'}).`,
  remedy: ({ file, reason }) => [
    reason?.includes('Node Allocatable') === true || reason?.includes('allocatable') === true
      ? step(
          'Lower kubeReserved, systemReserved and evictionHard below what the instance type has, or use a larger type.',
          'sudo grep -nE -A6 "kubeReserved|systemReserved|evictionHard" /etc/kubernetes/kubelet/config.json /var/lib/kubelet/config.yaml',
        )
      : step(
          'Drain the node if it still runs pods, then remove the saved state and start the kubelet.',
          `sudo systemctl stop kubelet && sudo rm -f ${file ?? '/var/lib/kubelet/cpu_manager_state /var/lib/kubelet/memory_manager_state'} && sudo systemctl start kubelet`,
        ),
  ],
  decide: step(
    'Read the kubelet’s last words and its saved state.',
    'journalctl -u kubelet -n 20 --no-pager; sudo cat /var/lib/kubelet/cpu_manager_state /var/lib/kubelet/memory_manager_state',
  ),
  page: {
    why: 'CPU and memory manager write their policy and assignments to files. A changed policy, a changed number of CPUs or reservations larger than the machine make the kubelet refuse to start, and systemd starts it again and again.',
    prevent:
      'Change manager policies only on new machines; size reservations per instance type; never bake /var/lib/kubelet into an image.',
    notThis:
      'One “failed to get rootfs info” at boot heals by itself. Kernel settings are unexpected-kernel-parameters, cgroups cgroup-driver-mismatch.',
    alsoKnownAs: ['please drain this node and delete the CPU manager checkpoint file'],
    refs: [
      'https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/',
      'https://github.com/kubernetes/kubernetes/blob/HEAD/pkg/kubelet/cm/cpumanager/state/state_checkpoint.go',
    ],
  },
});
