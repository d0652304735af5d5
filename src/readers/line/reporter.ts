import { classifyName, type MachineName } from '../../evidence/names.ts';

const KUBELET = /\bkubelet, (\S+)/;

/** The machine whose kubelet reported an event, where its row says so: `kubelet, ip-10-0-1-2.ec2.internal`. */
export function reporterOf(row: string): MachineName | null {
  const node = KUBELET.exec(row)?.[1];
  return node === undefined ? null : classifyName(node, 'node');
}
