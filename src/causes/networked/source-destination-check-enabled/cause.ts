import {
  clear,
  defineCause,
  found,
  foundInShown,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { placeOf, podWords, stateWords, unreadyPods } from '../../../domain/pods/pods-seen.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** Pod packets leave unencapsulated, and EC2 drops what does not carry the instance’s own address. */
const cause = defineCause({
  id: 'source-destination-check-enabled',
  stage: 'networked',
  title: 'EC2’s source/destination check drops pod packets that are routed without overlay',
  scope: 'machine',
  signs: {
    nativeRoute: context(
      ['host-file', 'calico-node', 'client-output', 'unknown'],
      /^\s*(?<range>\d+\.\d+\.\d+\.\d+\/\d+) via (?<peer>\d+\.\d+\.\d+\.\d+) dev (?:eth|ens|enp|enX)\S* proto (?:bird|80)\b/,
    ),
    toldOn: context(
      ['client-output', 'unknown'],
      /\b[Ss](?:ou)?rc(?:e)?[ /.-]{0,3}[Dd]e?st(?:ination)?\.?[ -]?[Cc]heck(?:ing|s)?\b.{0,20}\b(?:is|are|still|was) (?:still )?(?:on|enabled|active|true)\b/,
      {
        isTold: true,
        anchors: [' check', ' Check', '-check', 'tCheck', 'tcheck', 'nation', '.check'],
      },
    ),
    notAllowed: likely(
      ['calico-node'],
      /(?:source-destination-check|src-dst check|SourceDestCheck).{0,300}(?:UnauthorizedOperation|failed|not authorized)/i,
      { anchors: ['source-destination-check', 'src-dst check', 'SourceDestCheck'] },
    ),
    toldCured: likely(
      ['client-output', 'unknown'],
      /\b(?:[Ss](?:ou)?rc(?:e)?)[ /.-]{1,3}[Dd]e?st(?:ination)?\.?[ -]checks?\b.{0,30}\b(?:disabled|off)\b.{0,120}\b(?:works|goes through|go through|can (?:reach|ping|talk)|fixe[sd]|solve[sd]|helps|helped)\b|\b(?:[Dd]isabl(?:e|ed|ing)|[Tt]urn(?:ed|ing)? off)\b.{0,30}\b(?:[Ss](?:ou)?rc(?:e)?)[ /.-]{1,3}[Dd]e?st(?:ination)?\.?[ -]checks?\b.{0,120}\b(?:works|goes through|go through|can (?:reach|ping|talk)|fixe[sd]|solve[sd]|helps|helped)\b/,
      { isTold: true, anchors: ['check'] },
    ),
    // Within a subnet nothing is wrapped then, and EC2 drops what comes from an address of a pod.
    toldWrapped: likely(
      ['client-output', 'unknown'],
      /\b(?:from )?(?:VXLAN|IPIP)?Cross-?Subnet\b.{0,40}\bto\b.{0,20}\b(?:VXLAN|IPIP|Always)\b.{0,120}\b(?:reach|works?|ping|talk|fixe[sd]|helps?|helped|solve[sd])\b/i,
      { isTold: true, anchors: ['CrossSubnet', 'Cross-Subnet', 'crosssubnet'] },
    ),
    routesRefused: likely(
      ['cloud-controller', 'controller-manager'],
      /error configuring source-dest-check on instance i-[0-9a-f]{8,17}(?!.{0,40}(?:RequestLimitExceeded|Throttling|RequestExpired|i\/o timeout))/,
    ),
    toldUntil: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:could not|couldn't|cannot|can't|did not|didn't|failed to|unable to)\b.{0,80}\buntil (?:I|we) (?:disabled|turned off)\b.{0,30}\b(?:[Ss](?:ou)?rc(?:e)?)[ /.-]{1,3}[Dd]e?st(?:ination)?\.?[ -]checks?/,
      {
        isTold: true,
        anchors: [
          'until I disabled',
          'until we disabled',
          'until I turned off',
          'until we turned off',
        ],
      },
    ),
  },
  needs: ['aws/instance', 'aws/route-table', 'kube/Node', 'kube/Pod', 'kube/DaemonSet'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ range, machine }) =>
    sentence`${machine ?? 'The instance'} routes pod packets${phrase` for ${range}`} unencapsulated while EC2’s source/destination check is on, so EC2 drops them; pods of different nodes do not reach each other.`,
  remedy: () => [
    step(
      'Turn the check off on the instance.',
      'aws ec2 modify-instance-attribute --no-source-dest-check --instance-id <instance>',
    ),
    step(
      'Or let Calico do it; its nodes need ec2:ModifyNetworkInterfaceAttribute.',
      'kubectl patch felixconfiguration default --type merge -p \'{"spec":{"awsSrcDstCheck":"Disable"}}\'',
    ),
    step(
      'Or encapsulate.',
      'calicoctl patch ippool default-ipv4-ippool -p \'{"spec":{"vxlanMode":"Always"}}\'',
    ),
  ],
  decide: step(
    'Read the check’s state.',
    'aws ec2 describe-instance-attribute --attribute sourceDestCheck --instance-id <instance>',
  ),
  page: {
    why: 'EC2 lets an instance send and receive only packets of its own addresses unless the check is off. Pod addresses of Calico without overlay are not among those.',
    prevent:
      'Turn it off in the launch template’s boot script, with awsSrcDstCheck, or use an overlay.',
    notThis:
      'Pods of one node that do not talk either have another cause; with IPIP or VXLAN the check does not matter. The VPC CNI’s pod addresses belong to the instance, so it needs the check on.',
    alsoKnownAs: ['awsSrcDstCheck', 'calico pods cross node unreachable AWS'],
    refs: ['https://docs.tigera.io/calico/latest/reference/public-cloud/aws'],
  },
});

export default matched(cause, matchCheck);

type Own = ViewOf<typeof cause>;

function matchCheck(view: Own): Match | null {
  const route = view.sign('nativeRoute');
  const instance = view.read('aws/instance');
  if (instance.state !== 'seen') return matchShown(view);
  const state = checkOf(instance.value);
  if (state === null && !view.isLive) return matchShown(view);
  if (state !== true) return clear;
  const words = wordsOf(instance.value);
  if (route !== null)
    return found(
      route.first.captures,
      [route.first, view.quote(instance, `${words} SourceDestCheck true`)],
      'likely',
    );
  return matchObjects(view, instance) ?? matchShown(view);
}

/** Routes without overlay to an instance that is known by its address only, or of which people tell. */
function matchShown(view: Own): Match | null {
  const route = view.sign('nativeRoute') ?? view.clusterSign('nativeRoute');
  if (view.isLive || route === null) return null;
  const peers = route.quotes.map(({ captures }) => captures['peer'] ?? '');
  const checked = view
    .everywhere('aws/instance')
    .find(({ value }) => checkOf(value) === true && peers.includes(value.PrivateIpAddress ?? ''));
  const told = view.sign('toldOn') ?? view.clusterSign('toldOn');
  const on =
    checked === undefined
      ? told?.last
      : view.quote(checked, `${checked.value.PrivateIpAddress ?? ''} SourceDestCheck true`);
  if (on === undefined) return null;
  return foundInShown(found(route.first.captures, [route.first, on], 'likely'));
}

function wordsOf(instance: Instance): string {
  return `Instance ${instance.InstanceId ?? ''}`.trim();
}

/** The check as the instance's answer shows it; null where it was left out. */
function checkOf(instance: Instance): boolean | null {
  const interfaces = (instance.NetworkInterfaces ?? []).map(
    (entry) => entry.SourceDestCheck ?? null,
  );
  return interfaces.length > 0
    ? interfaces.every((state) => state === true)
    : (instance.SourceDestCheck ?? null);
}

/** A Node with pods that do not work, to which pod packets are routed as they are. */
function matchObjects(view: Own, instance: Seen<Instance>): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen' || view.node === null) return null;
  const [failing] = failingPods(view);
  const native = failing === undefined ? null : routedTo(view, instance, node);
  if (failing === undefined || native === null) return null;
  const details = { instance: instance.value.InstanceId ?? '', range: native.range };
  return found(
    details,
    [
      view.quote(instance, `${wordsOf(instance.value)} SourceDestCheck true`),
      view.quote(native.fact, native.words),
      view.quote(failing, `${podWords(failing)} ${stateWords(failing)}`),
    ],
    'likely',
  );
}

function failingPods(view: Own): readonly Seen<Pod>[] {
  const own = view
    .list('kube/Pod')
    .filter(
      (pod) =>
        placeOf(pod) === view.node &&
        pod.value.spec?.hostNetwork !== true &&
        (pod.value.status?.podIP ?? null) !== null,
    );
  return unreadyPods(own, view);
}

interface Native {
  readonly fact: Seen<unknown>;
  readonly words: string;
  readonly range: string;
}

/** How packets come to the Node's pods without overlay: by the VPC's routes, or Calico's own. */
function routedTo(view: Own, instance: Seen<Instance>, node: Seen<KubeNode>): Native | null {
  const { podCidr, name, annotations } = node.value;
  const route = podCidr === null ? null : vpcRoute(view, instance, podCidr);
  const isTunnelled = Object.keys(annotations).some((key) => TUNNEL.test(key));
  return route ?? (isTunnelled ? null : withoutOverlay(view, podCidr ?? name));
}

function vpcRoute(view: Own, instance: Seen<Instance>, podCidr: string): Native | null {
  const id = instance.value.InstanceId ?? '-';
  const table = view
    .list('aws/route-table')
    .find(({ value }) =>
      (value.Routes ?? []).some(
        (route) => route.DestinationCidrBlock === podCidr && route.InstanceId === id,
      ),
    );
  if (table === undefined) return null;
  const name = table.value.RouteTableId ?? '';
  return { fact: table, words: `route table ${name} sends ${podCidr} to ${id}`, range: podCidr };
}

/** Calico notes the address of a tunnel on the Node that has one. */
const TUNNEL = /^projectcalico\.org\/IPv4\w+TunnelAddr$/;

const SETTINGS = ['CALICO_IPV4POOL_IPIP', 'CALICO_IPV4POOL_VXLAN'];

/** Calico with both of its overlays off, as its manifest sets the first pool up. */
function withoutOverlay(view: Own, range: string): Native | null {
  const calico = view.list('kube/DaemonSet').find(({ value }) => value.name === 'calico-node');
  const isOther = view.list('kube/DaemonSet').some(({ value }) => value.name === 'aws-node');
  if (calico === undefined || isOther) return null;
  const environment = (calico.value.spec?.template?.spec?.containers ?? []).flatMap(
    (container) => container.env ?? [],
  );
  const valueOf = (name: string): string =>
    environment.find((entry) => entry.name === name)?.value ?? '';
  if (!SETTINGS.every((name) => valueOf(name) === 'Never')) return null;
  const words = SETTINGS.map((name) => `${name} ${valueOf(name)}`).join(', ');
  return { fact: calico, words: `DaemonSet calico-node ${words}`, range };
}
