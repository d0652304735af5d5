import type { AwsCloud } from './aws/contract.ts';
import type { Kernel } from './kernel/kernel.ts';
import type { ApiServer, ApiUser, KubeClient } from './kube/contract.ts';

/** What every inhabitant of a simulated world is given. */
export interface World {
  readonly kernel: Kernel;
  readonly aws: AwsCloud;
  readonly api: ApiServer;
  /** The API server as this user asks it in process. */
  client(user: ApiUser): KubeClient;
}
