const TEMPLATES: readonly ((node: string) => string)[] = [
  () => 'kuberuntime_manager.go:1110] "Running preStop hook" podUID="00aa" containerName="main"',
  () =>
    'reconciler_common.go:253] "operationExecutor.VerifyControllerAttachedVolume started for volume \\"kube-api-access\\" pod=\\"shop/web\\""',
  (node) => `kubelet_node_status.go:73] "Attempting to register node" node="${node}"`,
  (node) => `kubelet_node_status.go:76] "Successfully registered node" node="${node}"`,
  (node) =>
    `kubelet_node_status.go:497] "Fast updating node status as it just became ready" node="${node}"`,
  () =>
    'pod_startup_latency_tracker.go:104] "Observed pod startup duration" pod="shop/web" podStartSLOduration=2.1',
  () => 'kubelet.go:2412] "SyncLoop ADD" source="api" pods=["shop/web-6f7d9c5b8f-q9x2k"]',
  () => 'prober.go:107] "Probe succeeded" probeType="Readiness" pod="shop/web"',
];

/** Some hours in the journal of a machine that works: lines of 3 January, one a second. */
export function healthyJournal(host: string, node: string, count = 10_000): string {
  const lines: string[] = [];
  for (let index = 0; index < count; index++) {
    const second = String(index % 60).padStart(2, '0');
    const minute = String(Math.floor(index / 60) % 60).padStart(2, '0');
    const hour = String(Math.floor(index / 3600)).padStart(2, '0');
    const text = TEMPLATES[index % TEMPLATES.length]?.(node) ?? '';
    lines.push(
      `Jan  3 ${hour}:${minute}:${second} ${host} kubelet[811]: I0103 ${hour}:${minute}:${second}.${String(index % 1000).padStart(6, '0')}     811 ${text}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
