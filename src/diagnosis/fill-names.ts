import type { Subject } from './subject.ts';

/** Placeholders that the name of a group fills, by what kind of group it is. */
const GROUP_PLACEHOLDERS: Readonly<Record<Subject['kind'], readonly string[]>> = {
  Machine: [],
  Cluster: [],
  NodeGroup: ['<node-group>'],
  AutoScalingGroup: ['<auto-scaling-group>', '<group>'],
  NodePool: ['<node-pool>'],
};

/** Puts the subject's own names into a command's placeholders. */
export function fillNames(command: string, subject: Subject): string {
  const { kind, name, instanceId, node, cluster } = subject;
  const known: readonly (readonly [placeholder: string, name: string | null])[] = [
    ['<instance>', instanceId],
    ['<node>', node],
    ['<cluster>', cluster],
    ...GROUP_PLACEHOLDERS[kind].map((placeholder) => [placeholder, name] as const),
  ];
  return known.reduce(
    (text, [placeholder, value]) => (value === null ? text : text.replaceAll(placeholder, value)),
    command,
  );
}
