import type { Capacity } from '../../../capacity/capacity.ts';
import { type InstanceType, isUnknownType } from '../../../capacity/instance-type.ts';
import { commandRows, marked, paragraph } from './layout.ts';
import type { HeldAddresses } from '../../../capacity/warm.ts';
import { counted, grouped, shown } from '../../../domain/words.ts';

const MEBI_PER_GIBI = 1024;

function titleOf(type: InstanceType): string {
  const memory = type.memoryMiB === null ? null : `${type.memoryMiB / MEBI_PER_GIBI} GiB`;
  const parts = [
    type.vcpus === null ? null : counted(type.vcpus, 'vCPU'),
    memory,
    type.arch,
    type.bareMetal === true ? 'bare metal' : type.hypervisor,
    type.tables.retired ? 'no longer in any published table' : null,
    type.source === 'aws' ? 'as EC2 reports it' : 'from the table shipped with Rollcall',
  ];
  return `${type.name}: ${parts.filter((part) => part !== null).join(', ')}`;
}

function heldText(held: HeldAddresses, pods: string): string {
  const blocks = held.blocks === 0 ? '' : ` in ${counted(held.blocks, 'prefix')}`;
  return `${pods}: ${counted(held.addresses, 'address')}${blocks} on ${counted(held.enis, 'interface')}`;
}

function heldLines(capacity: Capacity): readonly string[] {
  const { held } = capacity;
  if (held === null) return [];
  const full = counted(held.full.addresses - held.full.enis - held.full.warm, 'pod');
  const text = [
    heldText(held.empty, 'no pod'),
    heldText(held.first, '1 pod'),
    heldText(held.full, full),
  ].join(' · ');
  return [
    ...marked('subnet ', `A node takes: ${text}.`, '  '),
    ...paragraph(`ipamd wants ${held.full.because}, as far as the limits allow.`, '          '),
  ];
}

function podsText(capacity: Capacity): string {
  const { maxPods } = capacity;
  if (maxPods === null) return 'not known';
  const { allowed, recommended } = maxPods;
  const advice =
    recommended === null ? 'AWS recommends a number by vCPUs' : `AWS recommends ${recommended}`;
  return `${grouped(allowed)} have addresses, ${advice}.`;
}

/** What one instance of a type holds, and what ends it. */
export function capacityLines(capacity: Capacity): readonly string[] {
  const { type, maxPods, mismatch } = capacity;
  if (isUnknownType(type))
    return [
      ...paragraph(`${shown(type.unknown)}: not in the shipped table; limits unknown.`),
      '  Ask EC2:',
      ...commandRows(type.command),
    ];
  return [
    ...paragraph(titleOf(type)),
    ...marked('pods   ', podsText(capacity), '  '),
    ...(maxPods?.lines ?? []).flatMap((line) => paragraph(line, '          ')),
    ...marked('limit  ', capacity.sentence, '  '),
    ...heldLines(capacity),
    ...(mismatch === null ? [] : marked('!      ', mismatch.sentence, '  ')),
  ];
}
