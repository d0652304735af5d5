import type { TrueInstance } from '../aws/contract.ts';
import type { SimulatedMachine } from './contract.ts';
import type { PodTable } from './kubelet/pod-table.ts';
import { nameParts } from './kubelet/pod.ts';
import { nanoStamp } from './logs/stamps.ts';
import type { ZoneMinutes } from './logs/zone.ts';

/** Texts in the places where the log collector of EKS puts them (amazon-eks-ami, log-collector). */
export function collected(
  machine: SimulatedMachine,
  instance: TrueInstance,
  pods: PodTable,
  zoneMinutes: ZoneMinutes,
): readonly { readonly name: string; readonly text: string }[] {
  const journal = (units: readonly string[]): string =>
    machine.journalText({ units, format: 'short' });
  const texts = [
    { name: 'system/instance-id.txt', text: `${instance.instanceId}\n` },
    { name: 'system/availability-zone.txt', text: `${instance.zone}\n` },
    { name: 'system/region.txt', text: `${instance.zone.slice(0, -1)}\n` },
    { name: 'kubelet/kubelet.log', text: journal(['kubelet', 'systemd']) },
    { name: 'containerd/containerd-log.txt', text: journal(['containerd']) },
    { name: 'nodeadm/nodeadm-config.log', text: journal(['nodeadm']) },
    ...[...machine.files()].flatMap(([path, text]) => {
      const name = placeOf(path);
      return name === null ? [] : [{ name, text }];
    }),
    ...podTexts(pods, zoneMinutes),
  ];
  return texts.filter(({ text }) => text !== '');
}

function placeOf(path: string): string | null {
  if (path.startsWith('/var/log/')) return `var_log/${path.slice('/var/log/'.length)}`;
  if (path.startsWith('/etc/cni/net.d/')) return `cni/${path.slice('/etc/cni/net.d/'.length)}`;
  return null;
}

/** Logs of system pods, each line as the container runtime writes it, of this run and the last. */
function podTexts(
  pods: PodTable,
  zoneMinutes: ZoneMinutes,
): readonly { readonly name: string; readonly text: string }[] {
  return [...pods.workers()].flatMap((worker) => {
    const { name, namespace } = nameParts(worker.place.key);
    if (namespace !== 'kube-system') return [];
    const folder = `var_log/${namespace}_${name}_${worker.place.uid}`;
    return worker.containers().flatMap((container) =>
      [true, false].map((isPrevious) => ({
        name: `${folder}/${container.name}/${container.restarts - (isPrevious ? 1 : 0)}.log`,
        text: container
          .lines(isPrevious)
          .map(({ atMs, text }) => `${nanoStamp(atMs, zoneMinutes(atMs))} stdout F ${text}\n`)
          .join(''),
      })),
    );
  });
}
