import type { KubeNode } from '../../evidence/kinds.ts';

/** True where the Node is seen without the label; a table shows only those of its columns. */
export function lacksLabel({ labels, absentLabels }: KubeNode, key: string): boolean {
  if (labels[key] !== undefined) return false;
  return absentLabels === undefined || absentLabels.includes(key);
}

/** `key=value` of a node selector that the Node is seen not to satisfy; null where there is none. */
export function unmetSelector(
  selector: Readonly<Record<string, string>>,
  node: KubeNode,
): string | null {
  const unmet = Object.entries(selector).find(
    ([key, wanted]) => lacksLabel(node, key) || (node.labels[key] ?? wanted) !== wanted,
  );
  return unmet === undefined ? null : `${unmet[0]}=${unmet[1]}`;
}

/** What several tables and templates tell of one Node; the first that tells a thing is right. */
export function joinedNode(parts: readonly KubeNode[]): KubeNode | null {
  const [first, ...rest] = parts;
  return first === undefined ? null : rest.reduce(joined, first);
}

function joined({ absentLabels: absent, ...node }: KubeNode, part: KubeNode): KubeNode {
  const { absentLabels: others } = part;
  // Where one of them shows all labels, so do both together.
  const isAllShown = absent === undefined || others === undefined;
  return {
    ...node,
    ...(isAllShown ? {} : { absentLabels: [...absent, ...others] }),
    labels: { ...part.labels, ...node.labels },
    taints: node.taints ?? part.taints,
    ready: node.ready ?? part.ready,
  };
}
