import { type Saying, type Scene, unproven, unread } from './saying.ts';

/** Proven by the node's CSINode, which lists the drivers that registered with its kubelet. */
export function sayCsiDriver(driver: string, { around, node }: Scene): Saying {
  const found = around.csiNode(node.name);
  if (found.state === 'unknown') return unread(`CSINode ${node.name}: ${found.why}`);
  if (found.state === 'absent') return unproven(`CSINode ${node.name} does not exist yet`);
  const { uid, nodeUid, drivers } = found.value;
  if (nodeUid !== null && nodeUid !== node.uid)
    return unproven(`CSINode ${node.name} belongs to a former Node of this name`);
  const nodeId = drivers.get(driver);
  if (nodeId === undefined) return unproven(`CSI driver ${driver} is not in CSINode ${node.name}`);
  const by = `CSINode ${node.name} lists ${driver}`;
  return { state: 'proven', sinceMs: null, hold: `${uid} ${nodeId}`, by };
}
