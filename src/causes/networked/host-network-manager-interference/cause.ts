import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** A network manager of the host writes its own rules or addresses over those of the CNI. */
const cause = defineCause({
  id: 'host-network-manager-interference',
  stage: 'networked',
  title: 'a network manager of the host undoes the CNI’s rules or addresses',
  scope: 'machine',
  signs: {
    cloudSetupRules: definite(
      ['host-file', 'client-output'],
      /\b30[24]00:\s+from .*lookup 30[24]00/,
    ),
    macPolicy: definite(
      ['event', 'node-status'],
      /\bMACAddressPolicyMisconfigured\b(?:.*MACAddressPolicy in (?<file>\S+) is set)?/,
    ),
    persistentMac: context(
      ['client-output', 'unknown', 'host-file'],
      /^\s*MACAddressPolicy=persistent\s*$/,
    ),
    toldBroken: context(
      ['client-output', 'unknown'],
      /\b(?:connections?|traffic|network(?:ing)?) (?:between|of|to|for) pods? (?:breaks?|broke|fails?|failed|(?:is|are|was|were) (?:lost|broken)|drops?|stops?)\b/,
      { isTold: true, isBackground: true, anchors: [' pods ', ' pod '] },
    ),
    serviceRuns: context(['journal'], /nm-cloud-setup/),
    rulesMissing: context(
      ['event', 'node-status'],
      /\bMissing(?:IPRules|IPRoutes|DefaultRoutes)\b/,
    ),
    networkdRestarted: context(
      ['client-output', 'unknown'],
      /\b(?:systemctl (?:--\w+ )?(?:restart|reload|try-restart)|restart(?:s|ed|ing)? (?:of )?) ?systemd-networkd\b|\bsystemd-networkd (?:is |was )?restart(?:s|ed)?\b/,
      { isTold: true, anchors: ['systemd-networkd'] },
    ),
    podsCutOff: context(
      ['client-output', 'unknown'],
      /\b[Pp]ods? (?:\w+ ){0,4}(?:ha(?:ve|s|d) no|los(?:e|es|t|ing)(?: all| their| its)?) (?:network|connecti\w+|internet|routes?)\b/,
      {
        isTold: true,
        anchors: ['have no ', 'has no ', 'had no ', ' lose ', ' loses ', ' lost ', ' losing '],
      },
    ),
    toldRulesGone: context(
      ['client-output', 'unknown'],
      /\b(?:ip|IP|policy|routing|CNI|CNI's|its) (?:rules?|routes?)\b[^.]{0,30}\b(?:(?:are|were|is|was|being|got|get) (?:\w+ )?(?:gone|lost|flushed|missing|removed|deleted|dropped)|disappear(?:ed|s)?|vanish(?:ed|es)?)\b|\b(?:flush|remov|delet|drop)(?:es|s)\b[^.]{0,30}\b(?:ip|IP|policy|routing) (?:rules?|routes?)\b/,
      { isTold: true, anchors: [' rule', ' route'] },
    ),
    toldRulesDeleted: likely(
      ['client-output', 'unknown'],
      /\b(?:rules?|polic(?:y|ies)|routes?)\b[^.]{0,60}\b(?:deleted|removed|flushed|dropped)\b[^.]{0,20}\bby systemd(?:-networkd)?\b|\bsystemd(?:-networkd)?\b[^.]{0,80}\b(?:remove|delete|flushe|drop)(?:s|d)\b[^.]{0,60}\b(?:routing|ip|IP|CNI['’]s) (?:rules?|polic(?:y|ies))\b/,
      { isTold: true, anchors: ['systemd'] },
    ),
    toldMac: likely(
      ['client-output', 'unknown'],
      /\bsystemd(?:-networkd|-udevd)?\b[^.]{0,60}\b(?:overwrit|chang|replac|set|assign|re-?writ)\w*\b[^.]{0,30}\bMAC(?: address(?:es)?)?\b[^.]{0,40}\b(?:veths?|eni|cali|lxc|pods?)\b|\bMACAddressPolicy\b[^.]{0,60}\b(?:veths?|overwrit\w*|changes|changed)\b/,
      { isTold: true, anchors: ['systemd', 'MACAddressPolicy'] },
    ),
    linkLost: context(
      ['ipamd', 'aws-node', 'cni-plugin', 'event', 'node-status', 'nodeadm'],
      /no interface found which uses mac address|unable to replace route entry|failed to get rule list by source|still has tentative addresses|\b(?:InterfaceNotUp|InterfaceNotRunning|MissingLoopbackInterface)\b|ENI ownership pending/,
      {
        anchors: [
          'no interface found which uses mac',
          'unable to replace route entry',
          'get rule list by source',
          'still has tentative addresses',
          'InterfaceNotUp',
          'InterfaceNotRunning',
          'MissingLoopbackInterface',
          'ENI ownership pending',
        ],
      },
    ),
    enterpriseLinux: context(
      ['client-output', 'unknown'],
      /\bRed Hat Enterprise Linux (?:release )?8\.[4-9]\b|\bRHEL ?8\.[4-9]\b|\b(?:Rocky|Alma) ?Linux(?: release)? 8\.[4-9]\b/,
      {
        anchors: [
          'Enterprise Linux',
          'RHEL 8.',
          'RHEL8.',
          'Rocky Linux',
          'RockyLinux',
          'AlmaLinux',
          'Alma Linux',
        ],
      },
    ),
    podsDoNotTalk: context(
      ['client-output', 'unknown'],
      /\b[Pp]od(?:s|-to-pod)?(?: (?:communication|networking|traffic))? (?:(?:is|are) not possible|(?:do not|don't|cannot|can't|does not|doesn't) (?:talk|communicate|reach))\b/,
      { isTold: true, anchors: ['possible', 'communicate', 't reach', 't talk'] },
    ),
  },
  needs: [],
  symptoms: ['cni-uninitialized'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ file, machine, manager }) =>
    manager !== undefined
      ? `${manager} removed the CNI’s routing rules when it was restarted, so pods that run have lost their network.`
      : file === undefined
        ? `nm-cloud-setup writes its own routing rules on ${machine === undefined || machine === 'cluster' ? 'the host' : machine}, which take precedence over the CNI’s, so pods have addresses and no connection.`
        : `${file} lets systemd change the MAC addresses of the CNI’s interfaces, so pods have addresses and no connection.`,
  remedy: ({ file, manager }) =>
    manager !== undefined
      ? [
          step(
            'Have systemd-networkd leave rules and routes of others alone.',
            "sudo mkdir -p /etc/systemd/networkd.conf.d && printf '[Network]\\nManageForeignRoutes=no\\nManageForeignRoutingPolicyRules=no\\n' | sudo tee /etc/systemd/networkd.conf.d/cni.conf",
          ),
          step(
            'Replace the pods of the node, so that the CNI writes its rules again.',
            'kubectl drain <node> --ignore-daemonsets --delete-emptydir-data; kubectl uncordon <node>',
          ),
        ]
      : file === undefined
        ? [
            step(
              'Turn nm-cloud-setup off and boot again, so that its rules are gone.',
              'sudo systemctl disable --now nm-cloud-setup.timer nm-cloud-setup.service && sudo reboot',
            ),
            step(
              'Keep NetworkManager off the CNI’s interfaces.',
              "printf '[keyfile]\\nunmanaged-devices=interface-name:eni*;interface-name:cali*;interface-name:vxlan.calico\\n' | sudo tee /etc/NetworkManager/conf.d/cni.conf",
            ),
          ]
        : [
            step(
              'Set MACAddressPolicy to none and boot again.',
              "sudo mkdir -p /etc/systemd/network/99-default.link.d && printf '[Link]\\nMACAddressPolicy=none\\n' | sudo tee /etc/systemd/network/99-default.link.d/cni.conf && sudo reboot",
            ),
          ],
  decide: step(
    'Look for its rules and its service.',
    'ip rule | grep -E "30[24]00"; systemctl is-active nm-cloud-setup.timer; grep -r MACAddressPolicy /usr/lib/systemd/network/99-default.link',
  ),
  page: {
    why: 'RHEL 8 cloud images bring nm-cloud-setup, which makes a table for each address it finds (30200, 30400). Ubuntu 22.04 changes the MAC address of new interfaces while the CNI has already noted it.',
    prevent: 'Leave both out of machine images for nodes.',
    notThis:
      'Missing rules alone may come from a CNI that restarts. Packets that a firewall drops are firewall-drops-pod-traffic.',
    alsoKnownAs: ['nm-cloud-setup RHEL 8 pods no network', 'MACAddressPolicy=persistent'],
    refs: [
      'https://github.com/projectcalico/calico/issues/4662',
      'https://github.com/rancher/rke2/issues/1053',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/docs/troubleshooting.md',
    ],
  },
});

export default matched(
  cause,
  (view) => matchRestart(view) ?? matchMac(view) ?? matchCloudSetup(view),
);

type Own = ViewOf<typeof cause>;

/** A restart of systemd-networkd flushes rules and routes that it does not know: the CNI's. */
function matchRestart(view: Own): Match | null {
  const restart = view.sign('networkdRestarted');
  const cut = view.sign('podsCutOff') ?? view.sign('toldRulesGone');
  if (restart === null || cut === null) return null;
  return found({ manager: 'systemd-networkd' }, [restart.first, cut.first], 'likely');
}

/** udev gives the pods' ends of their links other addresses than the CNI noted. */
function matchMac(view: Own): Match | null {
  const [policy, broken] = [
    view.sign('persistentMac'),
    view.sign('toldBroken') ?? view.sign('podsCutOff'),
  ];
  if (policy === null || broken === null || view.anySign('macPolicy')) return null;
  return found({}, [policy.first, broken.first], 'likely');
}

/** Images of these releases for AWS run nm-cloud-setup, which adds rules of its own. */
function matchCloudSetup(view: Own): Match | null {
  const [system, silent] = [view.sign('enterpriseLinux'), view.sign('podsDoNotTalk')];
  if (system === null || silent === null || view.anySign('cloudSetupRules', 'macPolicy'))
    return null;
  return found({}, [system.first, silent.first], 'likely');
}
