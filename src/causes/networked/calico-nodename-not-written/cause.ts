import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';

/** Pods are given to the node before calico-node has run on it. */
export default defineCause({
  id: 'calico-nodename-not-written',
  stage: 'networked',
  title: 'calico-node has not run on the node, so its CNI plugin has no node name',
  scope: 'machine',
  signs: {
    inEvent: likely(
      ['event', 'pod-status'],
      /create pod sandbox.*stat \/var\/lib\/calico\/nodename: no such file or directory/i,
      { anchors: ['/var/lib/calico/nodename: no such file'] },
    ),
    inLog: likely(
      ['kubelet', 'containerd', 'calico-node'],
      /stat \/var\/lib\/calico\/nodename: no such file or directory/,
      { atLeast: 4, enoughOnce: 'alone' },
    ),
    podRan: withdraws(
      ['kubelet'],
      /"Observed pod startup duration" pod="(?!kube-system\/(?:kube-proxy|calico-node|aws-node))/,
    ),
    sandboxStarted: withdraws(
      ['kubelet'],
      /SyncLoop \(PLEG\)(?!.{0,200}(?:kube-proxy|calico-node|aws-node|kube-apiserver|kube-scheduler|kube-controller|etcd-|csi-|exporter)).{0,400}ContainerStarted/,
      { anchors: ['SyncLoop (PLEG)'] },
    ),
    podStarted: withdraws(
      ['event'],
      /\bStarted\s+pod\/(?!calico-node|kube-proxy|aws-node)\S+\s+Started container/,
    ),
    notWritable: likely(
      ['calico-node'],
      /Unable to write to \S*\/nodename\b|Unable to create directory \/var\/lib\/calico\b/,
    ),
    notThere: context(
      ['event', 'calico-node', 'kubelet'],
      /Failed to stat\(\) nodename file|\[FATAL\].{0,80}Unable to determine hostname|Failed to set NetworkUnavailable; will retry/,
    ),
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: ['pod-started'],
  blocksAbove: false,
  summary: ({ machine }) =>
    `calico-node has not written /var/lib/calico/nodename on ${machine ?? 'the node'}, so its CNI plugin refuses every pod there.`,
  remedy: () => [
    step(
      'See why calico-node does not run on the node; the reason is in its pod or init container.',
      'kubectl get pods -A -l k8s-app=calico-node -o wide; kubectl -n kube-system logs -l k8s-app=calico-node --all-containers --tail=50 --prefix',
    ),
    step(
      'Where it waits for the service address, let it use the real endpoint.',
      'kubectl -n kube-system create configmap kubernetes-services-endpoint --from-literal=KUBERNETES_SERVICE_HOST=<api-host> --from-literal=KUBERNETES_SERVICE_PORT=443',
    ),
    step('Keep other pods off until it runs, with a startup taint.'),
  ],
  decide: step(
    'See the state of calico-node on this node.',
    'kubectl get pods -A -l k8s-app=calico-node --field-selector spec.nodeName=<node>',
  ),
  page: {
    why: 'install-cni writes the CNI configuration first, and with it the kubelet calls the Node Ready. The name file comes only when calico-node itself has reached the API server.',
    prevent:
      'A startup taint taken off after calico-node’s probe; kube-proxy with system-node-critical priority.',
    notThis:
      'A few sandboxes that fail and then start are the normal race. A configuration of Calico left on a node that runs another CNI is leftover-cni-configuration; the init container’s own time-out is service-ip-unreachable-for-calico.',
    alsoKnownAs: [
      'stat /var/lib/calico/nodename: no such file or directory: check that the calico/node container is running and has mounted /var/lib/calico/',
    ],
    refs: [
      'https://github.com/projectcalico/calico/issues/1795',
      'https://github.com/projectcalico/calico/blob/HEAD/cni-plugin/pkg/plugin/plugin.go',
    ],
  },
});
