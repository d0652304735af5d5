import type { Part } from './parts.ts';

/** Whom a fault strikes. */
export const FAULT_KINDS = {
  control: 'control plane',
  watch: 'watches',
  ours: 'Rollcall itself',
  node: 'machines',
  aws: 'AWS',
  people: 'people and other programs',
  time: 'clocks',
} as const;

export type FaultKind = keyof typeof FAULT_KINDS;

/** One class of faults; what there is of it so far is declared beside it under its id. */
export interface FaultClass {
  /** `F51` */
  readonly id: string;
  readonly kind: FaultKind;
  readonly title: string;
  /** Which parts of Rollcall must stand it. */
  readonly faces: readonly Part[];
}

function row(id: string, kind: FaultKind, faces: readonly Part[], title: string): FaultClass {
  return { id, kind, title, faces };
}

const WATCHERS = ['gate', 'diagnosis'] as const;
const ACTORS = ['gate', 'evictor', 'access', 'addresses', 'runtime'] as const;

/** Every class of faults, F01 to F74. */
export const FAULT_CLASSES: readonly FaultClass[] = [
  row('F01', 'control', ['join', 'access', 'runtime'], 'a request is lost before it is applied'),
  row('F02', 'control', ['evictor', 'join', 'access'], 'a request is applied and its answer lost'),
  row('F03', 'control', ['access', 'runtime'], 'a repeated create arrives twice'),
  row('F04', 'control', ['gate', 'access'], 'a storm of conflicts on Nodes'),
  row('F05', 'control', ['evictor', 'diagnosis'], 'requests are refused with 429 and Retry-After'),
  row('F06', 'control', ['runtime', 'diagnosis'], 'the API server answers 500, 503 or 504'),
  row(
    'F07',
    'control',
    ['join', 'access', 'diagnosis'],
    'an identity is refused (401, 403) for a while',
  ),
  row('F08', 'control', ['gate'], 'a webhook of admission refuses or changes our patch'),
  row(
    'F09',
    'control',
    ['gate', 'evictor', 'join', 'diagnosis'],
    'the API server restarts and cuts all watches',
  ),
  row(
    'F10',
    'control',
    ['gate', 'access'],
    'the next request goes to an API server that lags behind',
  ),
  row('F11', 'control', ['gate'], 'a list of resourceVersion 0 is old'),
  row(
    'F12',
    'control',
    ['gate', 'diagnosis'],
    'etcd compacts: old versions and continue tokens are gone',
  ),
  row('F13', 'control', ['runtime'], 'etcd comes back from a backup and its revisions go back'),
  row('F14', 'control', ['runtime'], 'a field of a stored object is corrupted'),
  row('F15', 'control', ['runtime'], 'an object reaches the limit of its size or annotations'),
  row('F16', 'control', ['runtime'], 'one client is starved by priority and fairness for minutes'),
  row('F17', 'watch', ['gate', 'runtime'], 'a watch is silently dead'),
  row('F18', 'watch', WATCHERS, 'an event of a watch is lost without 410'),
  row('F19', 'watch', WATCHERS, 'an old event comes again'),
  row('F20', 'watch', WATCHERS, 'events of two kinds change their order'),
  row('F21', 'watch', WATCHERS, 'bookmarks stay away, or jump'),
  row('F22', 'watch', WATCHERS, 'a watch ends with 410 in its middle'),
  row(
    'F23',
    'watch',
    ['gate', 'evictor', 'diagnosis'],
    'an object is deleted and made again, seen as a change',
  ),
  row('F24', 'watch', WATCHERS, 'one kind lags behind while others are fresh'),
  row('F25', 'watch', WATCHERS, 'a watch breaks off in the middle of a line'),
  row('F26', 'ours', ACTORS, 'a crash at each point where it waits'),
  row('F27', 'ours', ACTORS, 'a pause longer than the lease, and then a write'),
  row('F28', 'ours', ACTORS, 'two leaders at once'),
  row('F29', 'ours', ACTORS, 'a restart with empty memory'),
  row('F30', 'ours', ['runtime'], 'a restart as an older release'),
  row('F31', 'ours', ['gate'], 'the configuration changes in the middle'),
  row('F32', 'ours', ['runtime'], 'the rate limit of a client starves it'),
  row('F33', 'ours', ['diagnosis'], 'events come faster than they are read'),
  row(
    'F34',
    'ours',
    ['agent'],
    'the agent reaches the API server and not its controller, or the other way round',
  ),
  row('F35', 'node', ['gate', 'join', 'diagnosis'], 'the kubelet restarts'),
  row('F36', 'node', ['gate', 'agent', 'join', 'diagnosis'], 'the machine reboots'),
  row('F37', 'node', ['gate', 'join', 'diagnosis'], 'the machine changes its name'),
  row('F38', 'node', ['gate', 'join', 'diagnosis'], 'the Node is deleted while its kubelet lives'),
  row(
    'F39',
    'node',
    ['gate', 'evictor', 'agent'],
    'a pod of a DaemonSet is Ready for less than a second and dies',
  ),
  row('F40', 'node', ['gate', 'evictor', 'agent'], 'an agent is Ready and does not work'),
  row(
    'F41',
    'node',
    ['gate', 'evictor', 'agent'],
    'packets to other nodes or to the API server vanish',
  ),
  row('F42', 'node', ['gate', 'evictor', 'agent'], 'service addresses lead nowhere'),
  row(
    'F43',
    'node',
    ['gate', 'evictor', 'agent'],
    'a rule of iptables is missing, double, in wrong order or flushed',
  ),
  row('F44', 'node', ['gate', 'evictor', 'agent'], 'an old connection bypasses the rule'),
  row('F45', 'node', ['agent', 'join', 'diagnosis'], 'the clock of a machine is wrong by minutes'),
  row('F46', 'node', ['agent', 'join'], 'the disk is full'),
  row('F47', 'node', ['agent', 'join'], 'the container runtime hangs'),
  row('F48', 'node', ['agent', 'join'], 'kubeadm refuses the machine or leaves half a join behind'),
  row(
    'F49',
    'node',
    ['join'],
    'certificate requests are not approved, or the bootstrap token is gone',
  ),
  row('F50', 'node', ['join'], 'a Spot Instance is taken away'),
  row('F51', 'aws', ['join'], 'EC2 does not list an instance'),
  row('F52', 'aws', ['join', 'addresses'], 'EC2 throttles its calls'),
  row('F53', 'aws', ['join', 'addresses'], 'tags of an instance are not shown yet'),
  row(
    'F54',
    'aws',
    ['join'],
    'the private DNS name of an instance comes late, or is of another domain',
  ),
  row('F55', 'aws', ['agent'], 'the metadata service is slow, silent or without credentials'),
  row('F56', 'aws', ['addresses'], 'an instance type is not in the tables, and asking is denied'),
  row('F57', 'aws', ['addresses'], 'a subnet has no addresses or no whole prefix left'),
  row('F58', 'aws', ['addresses'], 'an interface is created and not attached, or not let go'),
  row('F59', 'aws', ['addresses'], 'an interface is attached again between list and delete'),
  row(
    'F60',
    'aws',
    ['join', 'access'],
    'an access entry takes effect late, or disagrees with aws-auth',
  ),
  row('F61', 'aws', ['join', 'access'], 'STS is throttled or out of order'),
  row('F62', 'people', ['access'], 'aws-auth is overwritten, broken or deleted'),
  row(
    'F63',
    'people',
    ['gate', 'evictor'],
    'kubectl taint writes the taints that it read a while ago',
  ),
  row('F64', 'people', ['gate', 'evictor'], 'a node is cordoned, drained or deleted'),
  row(
    'F65',
    'people',
    ['gate', 'evictor'],
    'a PodDisruptionBudget changes between check and eviction',
  ),
  row('F66', 'people', ['gate'], 'another controller puts our taint back or takes it away'),
  row('F67', 'people', ['gate'], 'a finalizer of somebody else blocks deletion'),
  row('F68', 'people', ['gate'], 'a DaemonSet is rolled, renamed or deleted'),
  row(
    'F69',
    'people',
    ['gate', 'evictor'],
    'a pod tolerates everything, is static or names its node',
  ),
  row('F70', 'people', ['gate'], 'a policy of admission forbids our label'),
  row('F71', 'time', ['gate', 'agent', 'addresses', 'diagnosis'], 'a clock steps by an hour'),
  row(
    'F72',
    'time',
    ['gate', 'agent', 'join', 'diagnosis'],
    'a machine is suspended and resumes later',
  ),
  row('F73', 'time', ['gate', 'agent', 'diagnosis'], 'timers fire up to five seconds late'),
  row('F74', 'time', ['diagnosis'], 'stamps in local time, of daylight saving or a leap second'),
];
