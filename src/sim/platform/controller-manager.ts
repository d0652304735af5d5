import type { World } from '../world.ts';
import { startCertificateCleaner } from './certificates/cleaner.ts';
import { type CertificateOptions, startCertificateControllers } from './certificates/requests.ts';
import { startBootstrapTokens } from './certificates/bootstrap-tokens.ts';
import { startGarbageCollector } from './cleanup/garbage-collector.ts';
import { startNamespaceController } from './cleanup/namespace.ts';
import { startPodGc } from './cleanup/pod-gc.ts';
import { startServiceAccounts } from './cleanup/service-accounts.ts';
import { startEndpointSlices } from './network/endpoint-slices.ts';
import { startNodeIpam } from './nodes/node-ipam.ts';
import { type NodeLifecycleOptions, startNodeLifecycle } from './nodes/node-lifecycle.ts';
import { startTaintEviction } from './nodes/taint-eviction.ts';
import {
  type ActorOptions,
  componentUser,
  type Running,
  together,
  watchDelayOf,
} from './running/actor.ts';
import { createInformers } from './running/informers.ts';
import { startDaemonSetController } from './workloads/daemon-set.ts';
import { startDeploymentController } from './workloads/deployment.ts';
import { startDisruptionController } from './workloads/disruption.ts';
import { startReplicaSetController } from './workloads/replica-set.ts';

export interface ControllerManagerOptions
  extends NodeLifecycleOptions,
    Omit<CertificateOptions, keyof ActorOptions> {
  /** Pod addresses for Nodes to be given; none when not given. */
  readonly podCidr?: string;
}

/** kube-controller-manager: its controllers share their watches, start and end together. */
export function startControllerManager(
  world: World,
  options: ControllerManagerOptions = {},
): Running {
  const client = world.client(componentUser('system:kube-controller-manager'));
  const random = world.kernel.random('kube-controller-manager');
  const informers = createInformers(client, options.watchDelayMs ?? watchDelayOf(random));
  const shared = { ...options, informers };
  const { podCidr } = options;
  return together([
    ...(podCidr === undefined ? [] : [startNodeIpam(world, { ...shared, podCidr })]),
    startServiceAccounts(world, shared),
    startNodeLifecycle(world, shared),
    startTaintEviction(world, shared),
    startDaemonSetController(world, shared),
    startDeploymentController(world, shared),
    startReplicaSetController(world, shared),
    startDisruptionController(world, shared),
    startEndpointSlices(world, shared),
    startCertificateControllers(world, shared),
    startCertificateCleaner(world, shared),
    startBootstrapTokens(world, shared),
    startNamespaceController(world, shared),
    startPodGc(world, shared),
    startGarbageCollector(world, shared),
    informers,
  ]);
}
