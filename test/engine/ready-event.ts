/** The event of a Node that became Ready, as `kubectl get events -o json` prints it. */
export function readyEvent(node: string, time: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'EventList',
    items: [
      {
        metadata: { name: `${node}.17aa`, namespace: 'default' },
        involvedObject: { kind: 'Node', name: node },
        type: 'Normal',
        reason: 'NodeReady',
        message: `Node ${node} status is now: NodeReady`,
        source: { component: 'kubelet' },
        count: 1,
        firstTimestamp: time,
        lastTimestamp: time,
      },
    ],
  });
}
