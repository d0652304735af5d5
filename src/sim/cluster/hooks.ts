import { listAt, textAt } from '../../evidence/json.ts';
import type { SimulatedAws } from '../aws/cloud.ts';
import type { KubeObject } from '../kube/contract.ts';
import type { KubeletAnswer, KubeletPage, KubeletQuestion, LogRequest } from '../kube/hooks.ts';
import type { SimulatedMachine, Hypervisor } from '../machines/contract.ts';
import type { Platform } from '../platform/platform.ts';
import type { PodIdentityWebhook } from './pod-identity-webhook.ts';
import { CLOUD_CONTROLLER } from './system-pods.ts';
import { WEBHOOK } from './webhook-objects.ts';

/** Who answers; a world begins without them. */
export interface Places {
  readonly hypervisor?: Hypervisor;
  readonly platform?: Platform;
  readonly webhook?: PodIdentityWebhook;
}

function unreachable(node: string): KubeletAnswer {
  return { ok: false, code: 500, message: `dial tcp ${node}:10250: connect: no route to host` };
}

function machineOf(hypervisor: Hypervisor | undefined, node: string): SimulatedMachine | null {
  const machine = hypervisor?.machineOfNode(node) ?? null;
  return machine?.isOn() === true && machine.unit('kubelet') === 'running' ? machine : null;
}

/** Whether programs on the machine of a Node are there to be asked. */
export function isAnswering(hypervisor: Hypervisor | undefined, node: string): boolean {
  return machineOf(hypervisor, node) !== null;
}

/** The lines of a container from the machine on which it runs. */
export function podLog(
  { hypervisor, platform, webhook }: Places,
  pod: KubeObject,
  request: LogRequest,
): KubeletAnswer {
  const node = textAt(pod, 'spec.nodeName') ?? '';
  const machine = machineOf(hypervisor, node);
  if (machine === null) return unreachable(node);
  const name = `${textAt(pod, 'metadata.namespace')}/${textAt(pod, 'metadata.name')}`;
  const { container, previous } = request;
  if (container === CLOUD_CONTROLLER) return shown(platform?.cloudControllerLog() ?? [], request);
  if (container === WEBHOOK) return shown(webhook?.log() ?? [], request);
  const lines = machine.podLogs(name, container, { previous });
  if (lines === null)
    return {
      ok: false,
      code: 400,
      message: `container "${container}" in pod "${name.split('/')[1]}" is waiting to start: ContainerCreating`,
    };
  return shown(lines, request);
}

function shown(
  lines: readonly { readonly atMs: number; readonly text: string }[],
  { tailLines, timestamps }: LogRequest,
): KubeletAnswer {
  const last = tailLines === null ? lines : lines.slice(Math.max(0, lines.length - tailLines));
  const text = last.map((line) =>
    timestamps ? `${new Date(line.atMs).toISOString()} ${line.text}` : line.text,
  );
  return { ok: true, text: text.map((line) => `${line}\n`).join('') };
}

/** The machine at the address of a Node, by whatever name its kubelet goes. */
function machineAt(
  { hypervisor }: Places,
  node: KubeObject,
  cloud: SimulatedAws,
): SimulatedMachine | null {
  const addresses = listAt(node, 'status.addresses').filter(
    (one) => textAt(one, 'type') === 'InternalIP',
  );
  const address = addresses.map((one) => textAt(one, 'address'))[0] ?? null;
  const instance = cloud
    .instances()
    .find(({ privateIp, state }) => privateIp === address && state === 'running');
  const machine = hypervisor?.machine(instance?.instanceId ?? '') ?? null;
  return machine?.unit('kubelet') === 'running' ? machine : null;
}

/** What the kubelet at a Node's address answers. */
export function kubeletPage(
  places: Places,
  node: KubeObject,
  { path, query }: KubeletQuestion,
  cloud: SimulatedAws,
): KubeletPage | null {
  const machine = machineAt(places, node, cloud);
  if (machine === null) return null;
  if (path === '/healthz') return { code: 200, type: 'text/plain', text: 'ok' };
  if (/^\/logs(?:\/|$)/.test(path)) return machine.servedLog(path.slice('/logs'.length), query);
  return { code: 404, type: 'text/plain', text: '404 page not found\n' };
}

/** Runs a script as the agent of Systems Manager does, which needs no kubelet. */
export function runByAgent(
  hypervisor: Hypervisor,
  instanceId: string,
  script: string,
  done: (stdout: string) => void,
): boolean {
  const machine = hypervisor.machine(instanceId);
  if (machine?.isOn() !== true) return false;
  machine.run(script, ({ stdout }) => done(stdout));
  return true;
}
