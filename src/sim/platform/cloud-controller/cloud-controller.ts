import type { World } from '../../world.ts';
import { type NodeView, nodeView } from '../objects/node.ts';
import {
  type Actor,
  type ActorOptions,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createEventRecorder } from '../running/event-recorder.ts';
import { runCloudNode } from './cloud-node.ts';
import { runCloudNodeLifecycle } from './cloud-node-lifecycle.ts';
import { type CloudControllerVersion, type Dialect, DIALECTS } from './dialect.ts';
import { createKlog, type Klog, type LoggedLine } from './klog.ts';
import type { Cloud } from './look-up.ts';
import type { CloudParts } from './parts.ts';

export interface CloudControllerOptions extends ActorOptions {
  readonly version?: CloudControllerVersion;
  readonly clusterName: string;
  /** The role with which it asks EC2. */
  readonly roleArn?: string;
  /** `--node-monitor-period`; 5 s when not given. */
  readonly monitorPeriodMs?: number;
  /** Where it prints; a log of its own when not given. */
  readonly klog?: Klog;
}

/** A cloud controller manager, whose release may change in its life. */
export interface CloudController extends Running {
  /** What it printed, as `kubectl logs` of its pods shows it. */
  log(): readonly LoggedLine[];
  version(): CloudControllerVersion;
  /** An upgrade or a rollback: the program ends and another one starts. */
  setVersion(version: CloudControllerVersion): void;
  start(): void;
}

/** Of cloud-provider's KubeCloudShared.NodeMonitorPeriod. */
const MONITOR_PERIOD_MS = 5000;
const NAME = 'cloud-controller-manager';

/** cloud-provider-aws with its cloud-node and cloud-node-lifecycle controllers. */
export function startCloudController(
  world: World,
  options: CloudControllerOptions,
): CloudController {
  const klog = options.klog ?? createKlog(() => world.kernel.nowMs());
  let version = options.version ?? '1.34';
  let running: Running | null = run(world, options, klog, version);
  const stop = (): void => {
    running?.stop();
    running = null;
  };
  const start = (): void => {
    running ??= run(world, options, klog, version);
  };
  return {
    stop,
    start,
    log: () => klog.lines(),
    version: () => version,
    setVersion: (next) => {
      version = next;
      stop();
      start();
    },
  };
}

function run(
  world: World,
  options: CloudControllerOptions,
  klog: Klog,
  version: CloudControllerVersion,
): Running {
  const actor = createActor(world, NAME, controllerUser(NAME), options);
  const dialect = DIALECTS[version];
  const nodes = new Map<string, NodeView>();
  const listeners: ((type: string, node: NodeView) => void)[] = [];
  const parts: CloudParts = {
    actor,
    cloud: cloudOf(world, options, actor, dialect),
    dialect,
    klog,
    nodes,
    monitorPeriodMs: options.monitorPeriodMs ?? MONITOR_PERIOD_MS,
    recorder: {
      cloudNode: createEventRecorder(actor, 'cloud-node-controller'),
      lifecycle: createEventRecorder(actor, 'cloud-node-lifecycle-controller'),
    },
    onNode: (listener) => listeners.push(listener),
  };
  runCloudNode(parts);
  runCloudNodeLifecycle(parts);
  actor.follow('Node', (type, object) => {
    const node = nodeView(object);
    if (type === 'DELETED') nodes.delete(node.name);
    else nodes.set(node.name, node);
    for (const listener of listeners) listener(type, node);
  });
  return actor;
}

function cloudOf(
  { aws }: World,
  { clusterName, roleArn }: CloudControllerOptions,
  { random }: Actor,
  dialect: Dialect,
): Cloud {
  const arn = roleArn ?? `arn:aws:iam::${aws.accountId}:role/${NAME}`;
  const { accessKeyId } = aws.credentialsOf(arn);
  const identity = aws.identityOf(accessKeyId) ?? { arn, accessKeyId };
  const requestId = (): string => [8, 4, 4, 4, 12].map((length) => random.hex(length)).join('-');
  return { aws, identity, clusterName, dialect, requestId };
}
