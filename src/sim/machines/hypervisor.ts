import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { AwsEvent } from '../aws/contract.ts';
import type { KubeClient, KubeObject } from '../kube/contract.ts';
import type { World } from '../world.ts';
import { ClusterCache } from './cluster-cache.ts';
import type {
  IdentityAccount,
  SimulatedMachine,
  Hypervisor,
  HypervisorOptions,
} from './contract.ts';
import { drawn } from './host.ts';
import { SimMachine } from './machine.ts';
import { annotationOf } from './programs/credentials.ts';
import { programKind } from './programs/catalogue.ts';
import { IdentityLedger } from './programs/identity-ledger.ts';
import type { Neighbourhood, ProgramKind } from './programs/program.ts';
import { settingsOf } from './settings.ts';

/** The hypervisor itself looks at objects as nobody's client in particular. */
const OMNISCIENT = { name: 'system:lab', groups: ['system:masters', 'system:authenticated'] };

/** Machines for every instance of the world's EC2, which boot, live and end with it. */
export function createHypervisor(world: World, options: HypervisorOptions): Hypervisor {
  return new MachineHypervisor(world, options);
}

class MachineHypervisor implements Hypervisor {
  readonly #world: World;
  readonly #options: HypervisorOptions;
  readonly #machines = new Map<string, SimMachine>();
  readonly #cache: ClusterCache;
  readonly #ledger: IdentityLedger;
  readonly #client: KubeClient;
  readonly #blocks = new Map<string, string>();

  constructor(world: World, options: HypervisorOptions) {
    this.#world = world;
    this.#options = options;
    this.#client = world.client(OMNISCIENT);
    this.#ledger = new IdentityLedger(world.kernel, options.requestsPerSecond ?? 5);
    const random = world.kernel.random('machines/watch');
    const delay = options.watchDelay ?? { medianMs: 30, sigma: 0.5 };
    this.#cache = new ClusterCache(this.#client, () => drawn(random, delay));
    world.aws.onEvent((event) => this.#onEvent(event));
    for (const { instanceId, state } of world.aws.instances())
      if (state === 'running') this.#machineFor(instanceId)?.powerOn();
  }

  machine(instanceId: string): SimulatedMachine | null {
    return this.#machines.get(instanceId) ?? null;
  }

  machineOfNode(nodeName: string): SimulatedMachine | null {
    const all = [...this.#machines.values()].filter((one) => one.nodeName() === nodeName);
    return all.findLast((one) => one.isOn()) ?? all.at(-1) ?? null;
  }

  machines(): readonly SimulatedMachine[] {
    return [...this.#machines.values()];
  }

  identities(): readonly IdentityAccount[] {
    return this.#ledger.accounts();
  }

  #onEvent(event: AwsEvent): void {
    switch (event.kind) {
      case 'instance-running':
        return this.#machineFor(event.instanceId)?.powerOn();
      case 'instance-stopping':
        return this.#machines.get(event.instanceId)?.shutDown();
      case 'instance-stopped':
      case 'instance-terminated':
        return this.#machines.get(event.instanceId)?.powerOff();
      case 'instance-rebooting':
        return this.#machines.get(event.instanceId)?.reboot();
      default:
    }
  }

  #machineFor(instanceId: string): SimMachine | null {
    const known = this.#machines.get(instanceId);
    if (known !== undefined) return known;
    const instance = this.#world.aws.instance(instanceId);
    if (instance === null) return null;
    const machine = new SimMachine(instance, {
      world: this.#world,
      settings: settingsOf(this.#options, instance),
      cache: this.#cache,
      neighbours: this.#neighbours(),
      ledger: this.#ledger,
    });
    this.#machines.set(instanceId, machine);
    return machine;
  }

  #neighbours(): Neighbourhood {
    return {
      running: (program) => this.#runningProgram(program),
      runsOn: (program, nodeName) =>
        this.#cache.podsOf(nodeName).some((pod) => isServing(pod, program)),
      pod: (key) => this.#cache.pod(key),
      annotation: (kind, name, key) => {
        const object = this.#client.get(kind, name);
        return object === null ? null : annotationOf(object, key);
      },
      podBlock: (instanceId) => this.#blockOf(instanceId),
    };
  }

  #runningProgram(program: ProgramKind): ReturnType<Neighbourhood['running']> {
    for (const pod of this.#cache.podsWith(program)) {
      if (!isServing(pod, program)) continue;
      const spec = pod['spec'] as JsonObject;
      return {
        isOnHost: spec['hostNetwork'] === true,
        nodeName: textAt(pod, 'spec.nodeName') ?? '',
      };
    }
    return null;
  }

  #blockOf(instanceId: string): string {
    const known = this.#blocks.get(instanceId);
    if (known !== undefined) return known;
    const index = this.#blocks.size;
    const block = `10.${244 + (Math.floor(index / 256) % 8)}.${index % 256}`;
    this.#blocks.set(instanceId, block);
    return block;
  }
}

function isServing(pod: KubeObject, program: ProgramKind): boolean {
  const status = pod['status'] as JsonObject | undefined;
  const statuses = (status?.['containerStatuses'] ?? []) as readonly JsonObject[];
  return statuses.some((one) => {
    const spec = ((pod['spec'] as JsonObject)['containers'] as readonly JsonObject[]).find(
      ({ name }) => name === one['name'],
    );
    const words = [
      ...((spec?.['command'] ?? []) as string[]),
      ...((spec?.['args'] ?? []) as string[]),
    ];
    return one['ready'] === true && programKind(textAt(spec, 'image') ?? '', words) === program;
  });
}
