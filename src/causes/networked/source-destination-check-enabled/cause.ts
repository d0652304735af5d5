import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
import { listAt, textAt } from '../../../evidence/json.ts';

/** Pod packets leave unencapsulated, and EC2 drops what does not carry the instance’s own address. */
export default defineCause({
  id: 'source-destination-check-enabled',
  stage: 'networked',
  title: 'EC2’s source/destination check drops pod packets that are routed without overlay',
  scope: 'machine',
  signs: {
    nativeRoute: {
      in: ['host-file', 'calico-node'],
      anchors: ['proto bird', 'proto 80'],
      pattern:
        /^\s*(?<range>\d+\.\d+\.\d+\.\d+\/\d+) via (?<peer>\d+\.\d+\.\d+\.\d+) dev (?:eth|ens|enp|enX)\S* proto (?:bird|80)\b/,
      weight: 'context',
    },
    notAllowed: {
      in: ['calico-node'],
      anchors: ['source-destination-check', 'src-dst check', 'SourceDestCheck'],
      pattern:
        /(?:source-destination-check|src-dst check|SourceDestCheck).{0,300}(?:UnauthorizedOperation|failed|not authorized)/i,
      weight: 'likely',
    },
  },
  needs: ['aws/instance'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  match: (view) => matchCheck(view),
  summary: ({ range, machine }) =>
    `${machine ?? 'The instance'} routes pod packets${range === undefined ? '' : ` for ${range}`} unencapsulated while EC2’s source/destination check is on, so EC2 drops them; pods of different nodes do not reach each other.`,
  remedy: () => [
    {
      text: 'Turn the check off on the instance.',
      command: 'aws ec2 modify-instance-attribute --no-source-dest-check --instance-id <instance>',
    },
    {
      text: 'Or let Calico do it; its nodes need ec2:ModifyNetworkInterfaceAttribute.',
      command:
        'kubectl patch felixconfiguration default --type merge -p \'{"spec":{"awsSrcDstCheck":"Disable"}}\'',
    },
    {
      text: 'Or encapsulate.',
      command: 'calicoctl patch ippool default-ipv4-ippool -p \'{"spec":{"vxlanMode":"Always"}}\'',
    },
  ],
  decide: {
    text: 'Read the check’s state.',
    command:
      'aws ec2 describe-instance-attribute --attribute sourceDestCheck --instance-id <instance>',
  },
  page: {
    why: 'EC2 lets an instance send and receive only packets of its own addresses unless the check is off. Pod addresses of Calico without overlay are none of those.',
    prevent:
      'Turn it off in the launch template’s boot script, with awsSrcDstCheck, or use an overlay.',
    notThis:
      'Pods of one node that do not talk either have another cause; with IPIP or VXLAN the check does not matter. The VPC CNI’s pod addresses belong to the instance, so it needs the check on.',
    alsoKnownAs: ['awsSrcDstCheck', 'calico pods cross node unreachable AWS'],
    refs: ['https://docs.tigera.io/calico/latest/reference/public-cloud/aws'],
  },
});

function matchCheck(view: View<'aws/instance', 'nativeRoute' | 'notAllowed'>): Match | null {
  const route = view.sign('nativeRoute');
  const instance = view.read('aws/instance');
  if (route === null || instance.state !== 'seen') return null;
  const interfaces = listAt(instance.value, 'NetworkInterfaces').map((entry) =>
    textAt(entry, 'SourceDestCheck'),
  );
  const checked =
    interfaces.length > 0
      ? interfaces.every((state) => state === 'true')
      : textAt(instance.value, 'SourceDestCheck') === 'true';
  return checked
    ? found(
        route.first.captures,
        [route.first, view.quote(instance, 'Instance SourceDestCheck true')],
        'likely',
      )
    : null;
}
