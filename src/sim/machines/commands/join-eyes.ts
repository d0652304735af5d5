import { lookAtCloud } from '../../../collection/join/cloud.ts';
import type { JoinMachine } from '../../../collection/join/machine.ts';
import { lookAtNode } from '../../../collection/join/node.ts';
import type {
  JoinCheck,
  JoinCloudLook,
  JoinLeftovers,
  JoinNodeLook,
  JoinSeen,
  JoinWants,
} from '../../../domain/nodes/join.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { KubeApi } from '../../../ports/kube-api.ts';
import { PortError, type PortFailure } from '../../../ports/port-error.ts';
import { awsPort } from '../../aws/port.ts';
import { corePath } from '../kubelet/node-api.ts';
import { systemUuidOf } from '../kubelet/node-object.ts';
import type { CommandParts } from './command.ts';

const NODE_USER = 'system:node:';
const FAILURES: Readonly<Record<number, PortFailure>> = {
  0: 'timeout',
  401: 'unauthenticated',
  403: 'denied',
  404: 'not-found',
  429: 'throttled',
};
/** What an earlier `kubeadm join` leaves. */
const LEFT = ['/etc/kubernetes/kubelet.conf', '/etc/kubernetes/pki/ca.crt'];

/** How `rollcall join` sees the machine of the world that it runs on. */
export class JoinEyes {
  readonly #parts: CommandParts;
  readonly #clock: Clock;
  readonly #isCommandRunning: () => boolean;

  constructor(parts: CommandParts, clock: Clock, isCommandRunning: () => boolean) {
    this.#parts = parts;
    this.#clock = clock;
    this.#isCommandRunning = isCommandRunning;
  }

  async look(wants: JoinWants): Promise<JoinSeen> {
    const { kubelet, host } = this.#parts;
    const cloud = wants.cloud ? await this.#cloud() : null;
    const node = await this.#node();
    const paths = LEFT.filter((path) => host.files.has(path));
    const leftovers: JoinLeftovers = { paths, foreign: null };
    return {
      node,
      cloud,
      leftovers,
      checks: cloud === null ? [] : [checkOf(cloud)],
      kubelet: kubelet.state() === 'running' ? 'running' : 'stopped',
      isCommandRunning: this.#isCommandRunning(),
      atMs: this.#clock.monotonicMs(),
    };
  }

  async #node(): Promise<JoinNodeLook> {
    const { disk } = this.#parts;
    const name = disk.certificate?.commonName.slice(NODE_USER.length) ?? null;
    if (name === null) {
      const message = 'There are no kubelet credentials.';
      return { state: 'unknown', why: 'no-credentials', message };
    }
    return lookAtNode(this.#api(), [name], this.#machine());
  }

  #api(): Pick<KubeApi, 'get'> {
    return {
      get: async (_resource, { name }) => {
        const answer = this.#parts.nodeApi().get(corePath('nodes', name));
        if (answer.ok) return answer.object;
        await this.#clock.sleep(answer.tookMs);
        const failure = FAILURES[answer.code] ?? 'unavailable';
        throw new PortError({ failure, message: answer.message });
      },
    };
  }

  #machine(): JoinMachine {
    const { instanceId, zone } = this.#parts.host.instance();
    return {
      instanceId,
      zone,
      region: null,
      localHostname: null,
      bootId: null,
      machineId: null,
      systemUuid: systemUuidOf(instanceId),
    };
  }

  async #cloud(): Promise<JoinCloudLook> {
    const { host, network } = this.#parts;
    const key = host.accessKeyId();
    const identity = key === null ? null : host.world.aws.identityOf(key);
    if (identity === null || network.isLost('aws-api'))
      return { state: 'unknown', message: 'EC2 cannot be asked.' };
    const aws = awsPort({ cloud: host.world.aws, identity, clock: this.#clock });
    return lookAtCloud(aws, host.instanceId, null);
  }
}

function checkOf(cloud: JoinCloudLook): JoinCheck {
  const isListed = cloud.state === 'listed' && cloud.privateDnsName !== null;
  const message = cloud.state === 'listed' ? 'EC2 lists the instance.' : cloud.message;
  return { name: 'cloud', state: isListed ? 'passed' : 'failed', message };
}
