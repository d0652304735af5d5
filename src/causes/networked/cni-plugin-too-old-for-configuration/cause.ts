import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';

/** The configuration in /etc/cni/net.d is of a newer CNI version than the program that it names. */
export default defineCause({
  id: 'cni-plugin-too-old-for-configuration',
  stage: 'networked',
  title: 'the CNI configuration declares a version that the plugin does not support',
  scope: 'machine',
  signs: {
    incompatible: definite(
      ['event', 'kubelet', 'containerd', 'pod-status', 'journal', 'client-output'],
      /(?:pod\/(?<pod>[\w.-]{1,253})\s.{0,900})?(?:plugin type="+(?<plugin>[\w-]{1,60})"+.{0,200})?(?:[Ii]ncompatible CNI versions?.*)?config is "+(?<declared>[\d.]{0,10})"+, plugin supports \[(?<supported>[^\]]{0,100})\]/,
    ),
    notSupported: definite(
      ['event', 'kubelet', 'containerd', 'pod-status', 'journal', 'client-output'],
      /plugin (?<plugin>[\w-]{1,60}) does not support config version "*(?<declared>[\d.]{0,10})"*|[Uu]nsupported CNI result version "+(?<declared2>[\d.]{0,10})"+|[Ii]ncompatible CNI versions(?!.*config is)/,
    ),
    started: withdraws(['event'], /\bStarted\s+pod\/(?<pod>[\w.-]{1,253})\s+Started container/),
  },
  needs: [],
  symptoms: ['sandbox-not-created', 'cni-uninitialized'],
  per: ['pod'],
  withdrawnBy: ['node-ready'],
  explains: ['cni-configuration-missing'],
  summary: ({ node, machine, plugin, declared, declared2, supported }) =>
    sentence`The CNI configuration on ${node ?? machine ?? 'the node'} declares version ${declared ?? declared2 ?? 'that is too new'}, which the plugin ${plugin} does not support${phrase` (it knows ${supported?.replaceAll('"', '').replaceAll(' ', ', ')})`}, so no pod starts there.`,
  remedy: () => [
    step(
      'See which configuration counts (the first by name) and which versions its programs know.',
      'sudo grep -H cniVersion /etc/cni/net.d/*; for plugin in /opt/cni/bin/*; do echo "$plugin $(echo \'{"cniVersion":"0.4.0"}\' | sudo CNI_COMMAND=VERSION $plugin)"; done',
    ),
    step(
      'Update the plugins (package kubernetes-cni, or the CNI’s own DaemonSet), or the image that carries them.',
      'kubectl -n kube-system get daemonsets -o wide',
    ),
    step(
      'Until then, declare a version that the plugin knows.',
      'sudo sed -i \'s/"cniVersion": *"1[.][01][.]0"/"cniVersion": "0.4.0"/\' /etc/cni/net.d/<file>',
    ),
  ],
  decide: step(
    'Read the declared versions; the message names what the plugin supports.',
    'sudo grep -H cniVersion /etc/cni/net.d/*; sudo ls -l /opt/cni/bin',
  ),
  page: {
    why: 'Each configuration declares a version of the CNI specification, and each program in /opt/cni/bin knows some. A new DaemonSet with old programs of the image, a configuration without cniVersion that the runtime fills with its own, or files copied between machines bring the two apart.',
    prevent:
      'Update the plugins with the CNI, keep one source for configuration and programs, and declare cniVersion.',
    notThis:
      'No configuration at all is cni-configuration-missing; one of a CNI that was removed is leftover-cni-configuration. A plugin that is not found is a package that is missing.',
    alsoKnownAs: [
      'incompatible CNI versions; config is "1.0.0", plugin supports ["0.1.0" "0.2.0" "0.3.0" "0.3.1" "0.4.0"]',
      'plugin flannel does not support config version',
    ],
    refs: [
      'https://kubernetes.io/docs/tasks/administer-cluster/migrating-from-dockershim/troubleshooting-cni-plugin-related-errors/',
      'https://github.com/containernetworking/cni/blob/HEAD/pkg/version/reconcile.go',
      'https://github.com/networkop/meshnet-cni/issues/40',
    ],
  },
});
