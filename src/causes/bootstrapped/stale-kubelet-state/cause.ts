import { defineCause } from '../../../diagnosis/cause.ts';

/** The kubelet stops on state or reservations that do not fit this machine. */
export default defineCause({
  id: 'stale-kubelet-state',
  stage: 'bootstrapped',
  title: 'the kubelet stops on state or reservations that do not fit the machine',
  scope: 'machine',
  signs: {
    checkpoint: {
      in: ['kubelet'],
      anchors: ['could not restore state from checkpoint'],
      pattern:
        /could not restore state from checkpoint: (?<reason>[^,]{0,160})(?:, please.*?checkpoint file "?(?<file>\/[\w./-]+))?/i,
      weight: 'definite',
    },
    stateFile: {
      in: ['kubelet'],
      anchors: ['unable to restore state from disk'],
      pattern:
        /state file: unable to restore state from disk \((?<reason>.{0,160}?)\)(?:.*?state file "?(?<file>\/[\w./-]+))?/,
      weight: 'definite',
    },
    allocatable: {
      in: ['kubelet'],
      anchors: ['nvalid Node Allocatable configuration'],
      pattern:
        /[Ii]nvalid Node Allocatable configuration\.? ?(?<reason>Resource "?[\w.-]+"? has an allocatable of [^,]{0,80})?/,
      weight: 'definite',
    },
    rootDevice: {
      in: ['kubelet'],
      anchors: ['failed to get rootfs info'],
      pattern: /Failed to start ContainerManager.*(?<reason>failed to get rootfs info[^"]{0,120})/,
      weight: 'likely',
      atLeast: 3,
    },
  },
  needs: [],
  symptoms: [],
  summary: ({ machine, reason }) =>
    `The kubelet of ${machine ?? 'the machine'} stops at every start (${reason?.trim() ?? 'its saved state does not fit its configuration'}).`,
  remedy: ({ file, reason }) => [
    reason?.includes('Node Allocatable') === true || reason?.includes('allocatable') === true
      ? {
          text: 'Lower kubeReserved, systemReserved and evictionHard below what the instance type has, or use a larger type.',
          command:
            'sudo grep -nE -A6 "kubeReserved|systemReserved|evictionHard" /etc/kubernetes/kubelet/config.json /var/lib/kubelet/config.yaml',
        }
      : {
          text: 'Drain the node if it still runs pods, then remove the saved state and start the kubelet.',
          command: `sudo systemctl stop kubelet && sudo rm -f ${file ?? '/var/lib/kubelet/cpu_manager_state /var/lib/kubelet/memory_manager_state'} && sudo systemctl start kubelet`,
        },
  ],
  decide: {
    text: 'Read the kubelet’s last words and its saved state.',
    command:
      'journalctl -u kubelet -n 20 --no-pager; sudo cat /var/lib/kubelet/cpu_manager_state /var/lib/kubelet/memory_manager_state',
  },
  page: {
    why: 'CPU and memory manager write their policy and assignments to files. A changed policy, a changed number of CPUs or reservations larger than the machine make the kubelet refuse to go on, and systemd starts it again and again.',
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
