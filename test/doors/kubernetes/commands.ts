/** Commands of kubectl that are run against two servers, and what makes their words comparable. */
import type { Said } from './fixture.ts';

export interface Command {
  readonly command: string;
  readonly input?: string;
}

function document(...objects: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
}

const NODE_STATUS = {
  status: {
    addresses: [
      { type: 'InternalIP', address: '10.0.1.5' },
      { type: 'Hostname', address: 'ip-10-0-1-5' },
    ],
    capacity: { cpu: '4', memory: '16Gi', pods: '58' },
    allocatable: { cpu: '3920m', memory: '15Gi', pods: '58' },
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        message: 'kubelet is posting ready status',
        lastHeartbeatTime: '2026-01-01T00:00:00Z',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: 'boot',
      containerRuntimeVersion: 'containerd://2.1.4',
      kernelVersion: '6.1.0',
      kubeProxyVersion: '',
      kubeletVersion: 'v1.36.3',
      machineID: 'machine',
      operatingSystem: 'linux',
      osImage: 'Amazon Linux 2023',
      systemUUID: 'system',
    },
  },
};

function podStatus(state: object, more: object = {}): string {
  const container = { name: 'main', image: 'app:1', imageID: '', restartCount: 3, ...state };
  return JSON.stringify({
    status: { phase: 'Running', podIP: '10.0.1.9', containerStatuses: [container], ...more },
  });
}

const POD_SPEC = { containers: [{ name: 'main', image: 'app:1' }] };

function podObject(name: string, nodeName: string, labels: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: { ...POD_SPEC, nodeName },
  };
}

const WORKLOAD = {
  selector: { matchLabels: { app: 'web' } },
  template: { metadata: { labels: { app: 'web' } }, spec: POD_SPEC },
};

const OBJECTS = document(
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'ip-10-0-1-5' } },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'ip-10-0-1-6', labels: { 'node-role.kubernetes.io/control-plane': '' } },
    spec: { providerID: 'aws:///us-west-2a/i-6' },
  },
  podObject('web-1', 'ip-10-0-1-5', { app: 'web' }),
  podObject('web-2', 'ip-10-0-1-5', { app: 'web' }),
  podObject('web-3', 'ip-10-0-1-6', { app: 'other' }),
  { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent' }, spec: WORKLOAD },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { replicas: 3, ...WORKLOAD },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'lock', namespace: 'default' },
    spec: { holderIdentity: 'somebody', leaseDurationSeconds: 40 },
  },
  {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'event.1', namespace: 'default' },
    involvedObject: { kind: 'Pod', name: 'web-1', namespace: 'default' },
    reason: 'Started',
    message: 'Started container main',
    type: 'Normal',
    source: { component: 'kubelet', host: 'ip-10-0-1-5' },
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    count: 4,
  },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hidden' }, stringData: { key: 'value' } },
);

const CONFIG = document({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { colour: 'red' },
});

const CHANGED_CONFIG = CONFIG.replace('red', 'blue');

const UNKNOWN_FIELD = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'strange' },
  spec: { ...POD_SPEC, strange: true },
});

/** Brings both servers to the same state; the words of these are not compared. */
export const SET_UP: readonly Command[] = [
  { command: 'create serviceaccount default' },
  { command: 'create -f -', input: OBJECTS },
  {
    command: `patch node ip-10-0-1-5 --subresource=status --type=merge -p '${JSON.stringify(NODE_STATUS)}'`,
  },
  {
    command: `patch pod web-1 --subresource=status --type=merge -p '${podStatus({ ready: true, started: true, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } })}'`,
  },
  {
    command: `patch pod web-2 --subresource=status --type=merge -p '${podStatus({ ready: false, started: false, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:00:00Z' } } })}'`,
  },
  {
    command: `patch pod web-3 --subresource=status --type=merge -p '${podStatus({ ready: false, started: false, state: { terminated: { exitCode: 0, reason: 'Completed' } } }, { phase: 'Succeeded' })}'`,
  },
];

/** What a person who looks after nodes types; each is compared word for word. */
export const COMPARED: readonly Command[] = [
  { command: 'version' },
  { command: 'get nodes' },
  { command: 'get nodes -o wide' },
  { command: 'get nodes -o name' },
  { command: 'get nodes --show-labels' },
  { command: 'get node ip-10-0-1-5 -o jsonpath={.status.addresses[0].address}' },
  { command: 'get nodes -o custom-columns=NAME:.metadata.name,ID:.spec.providerID' },
  { command: 'get nodes -l node-role.kubernetes.io/control-plane' },
  { command: 'get node nobody' },
  { command: 'get pods' },
  { command: 'get pods -A -o wide' },
  { command: 'get pods --field-selector spec.nodeName=ip-10-0-1-5' },
  { command: 'get pods -l app=web --no-headers' },
  { command: 'get pods --sort-by=.metadata.name -o wide' },
  { command: 'get pod web-1 web-3' },
  { command: 'get ds,deploy,pdb,lease,secret' },
  { command: 'get ds -o wide' },
  { command: 'get deploy web -o wide' },
  { command: 'get events' },
  { command: 'get events -o wide' },
  { command: 'get events --field-selector involvedObject.name=web-1' },
  { command: 'get ns' },
  { command: 'get crd' },
  { command: 'get nothing' },
  { command: 'describe node ip-10-0-1-5' },
  { command: 'describe pod web-1' },
  { command: 'describe pdb web' },
  { command: 'apply -f -', input: CONFIG },
  { command: 'apply -f -', input: CONFIG },
  { command: 'diff -f -', input: CONFIG },
  { command: 'apply -f -', input: CHANGED_CONFIG },
  { command: 'apply --server-side --field-manager=other -f -', input: CONFIG },
  { command: 'apply --server-side --force-conflicts -f -', input: CONFIG },
  { command: 'apply --server-side --dry-run=server -f -', input: CHANGED_CONFIG },
  { command: 'get configmap settings -o jsonpath={.data}' },
  { command: 'create -f -', input: CONFIG },
  { command: 'create -f -', input: UNKNOWN_FIELD },
  { command: 'create configmap more --from-literal=a=b' },
  { command: 'create namespace team' },
  { command: 'create deployment more --image=app:2 --replicas=2' },
  { command: 'create configmap Bad_Name --from-literal=a=b' },
  { command: `patch node ip-10-0-1-5 -p '{"metadata":{"labels":{"a":"1"}}}'` },
  { command: `patch node ip-10-0-1-5 --type=merge -p '{"metadata":{"labels":{"b":"2"}}}'` },
  {
    command: `patch node ip-10-0-1-5 --type=json -p '[{"op":"remove","path":"/metadata/labels/a"}]'`,
  },
  {
    command: `patch node ip-10-0-1-5 --type=json -p '[{"op":"remove","path":"/metadata/labels/none"}]'`,
  },
  { command: `patch configmap none -p '{"data":{}}'` },
  { command: 'get node ip-10-0-1-5 --show-labels' },
  { command: 'label node ip-10-0-1-5 team=red' },
  { command: 'label node ip-10-0-1-5 team=blue' },
  { command: 'label node ip-10-0-1-5 team=blue --overwrite' },
  { command: 'annotate node ip-10-0-1-5 note=hello' },
  { command: 'taint node ip-10-0-1-5 dedicated=ci:NoSchedule' },
  { command: 'taint node ip-10-0-1-5 dedicated=ci:NoSchedule' },
  { command: 'taint node ip-10-0-1-5 dedicated:NoSchedule-' },
  { command: 'cordon ip-10-0-1-5' },
  { command: 'get node ip-10-0-1-5' },
  { command: 'uncordon ip-10-0-1-5' },
  { command: 'drain ip-10-0-1-6 --dry-run=client --force' },
  { command: 'drain ip-10-0-1-5 --timeout=2s' },
  { command: 'scale deploy web --replicas=5' },
  { command: 'set image deploy/web main=app:3' },
  { command: 'get deploy web -o jsonpath={.spec.template.spec.containers[0].image}' },
  { command: 'wait --for=condition=Ready node/ip-10-0-1-5 --timeout=5s' },
  { command: 'wait --for=condition=Ready pod/web-2 --timeout=1s' },
  { command: 'wait --for=jsonpath={.status.phase}=Running pod/web-1 --timeout=5s' },
  { command: 'logs nobody' },
  { command: 'logs web-1 -c none' },
  { command: 'auth can-i get pods' },
  { command: 'auth can-i delete nodes --as=somebody' },
  { command: 'auth whoami -o jsonpath={.status.userInfo.username}' },
  { command: 'delete configmap settings more' },
  { command: 'delete configmap settings' },
  { command: 'delete deploy,ds --all' },
  { command: 'delete pod web-3 --grace-period=0 --force' },
  { command: 'get pods' },
  { command: 'delete node ip-10-0-1-6' },
  { command: 'get nodes' },
  { command: 'get --raw /healthz' },
  { command: 'get --raw /api/v1/namespaces/none' },
  { command: 'get pods -n none' },
];

/** Without what differs from run to run: ages, times, uids, and how wide columns are. */
export function comparable({ code, out, err }: Said, folder: string): string {
  const words = `${out}${err}`
    .replaceAll(folder, 'FOLDER')
    // The real one finds at times that its own service came before its list of addresses.
    .replaceAll(/^.*\bClusterIPNotAllocated\b.*\n/gm, '')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'SERVER')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    // Before ages: five characters drawn by chance may read as one.
    .replaceAll(/kube-api-access-\w{5}/g, 'TOKEN')
    .replaceAll(/\b(\d+d)?(\d+h)?(\d+m)?\d+(s|m|h|d)\b/g, 'AGE')
    .replaceAll(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} 20\d\d [\d:]{8} \+0000/g, 'TIME')
    .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/[ \t]+/g, ' ');
  return `exit ${code}\n${words}`.trim();
}
