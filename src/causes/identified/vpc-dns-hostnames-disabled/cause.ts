import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  type SignNameOf,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import type { VpcAttribute } from '../../../evidence/aws/network.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { lookedUp } from '../../../domain/planned/indexed.ts';
import { VPC_ATTRIBUTES } from '../../../domain/planned/lookups.ts';
import { machineOf } from '../../../domain/planned/machine.ts';

/** The VPC has no DNS host names, so no instance in it has a private DNS name. */
const cause = defineCause({
  id: 'vpc-dns-hostnames-disabled',
  stage: 'identified',
  title: 'DNS host names or DNS support of the VPC are off, so instances have no private DNS name',
  scope: 'machine',
  signs: {
    switchedOff: definite(
      ['aws-message', 'client-output'],
      /"EnableDns(?<attribute>Hostnames|Support)": ?\{ ?"Value": ?false/,
    ),
    toldMissing: likely(
      ['client-output', 'unknown'],
      /\b(?:lacks?|lacked|missing|without|did not (?:set|have)|forgot|had no|has no|no)\s+`?"?enable_dns_hostnames\b|\benable_dns_hostnames\b\W{1,4}(?:= ?|is |was |set to )+`?"?false\b/,
      { isTold: true, anchors: ['enable_dns_hostnames'] },
    ),
    emptyNodeName: likely(['kubelet'], /Node "" is invalid: metadata\.name: Required value/),
    emptyNameNotFound: likely(
      ['kubelet'],
      /Error getting (?:the current )?node.*node "" not found/,
      {
        anchors: ['Error getting node', 'Error getting the current node'],
        atLeast: 3,
        enoughOnce: 'end',
      },
    ),
    toldOff: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:enableDns(?:Hostnames|Support)|DNS (?:[Hh]ostnames|[Ss]upport))\b.{0,30}(?:\bwas|\bwere|\bis|\bare|=|:|\bset to)\W{0,4}(?:false|disabled|off|not enabled|turned off)\b|\b(?:[Ss]olved|[Ff]ixed|[Rr]esolved)\b.{0,40}\b(?:enabl|turn)(?:ed|ing) (?:on )?(?:the )?(?:DNS (?:[Hh]ostnames|[Ss]upport)|enableDns\w{7,9})|\b(?:[Ee]nabl|[Tt]urn)(?:ed|ing) (?:on )?(?:the )?(?:DNS (?:[Hh]ostnames|[Ss]upport)|enableDns\w{7,9}).{0,60}\b(?:fix|solv|resolv|help|work|join)\w{0,4}/,
      {
        isTold: true,
        anchors: ['enableDns', 'DNS hostnames', 'DNS Hostnames', 'DNS support', 'DNS Support'],
      },
    ),
  },
  needs: ['kube/Node', 'aws/instance', 'aws/vpc-attribute'],
  symptoms: [],
  explains: ['private-dns-name-late', 'lease-or-csinode-publishing-failed'],
  summary: ({ machine, vpc }) =>
    `EC2 has no private DNS name for ${machine ?? 'the machine'} because DNS host names or DNS support are off in ${vpc ?? 'its VPC'}; the kubelet and its credential end up without a name.`,
  remedy: ({ vpc }) => [
    step(
      'Switch both on.',
      `aws ec2 modify-vpc-attribute --vpc-id ${vpc ?? '<vpc>'} --enable-dns-support && aws ec2 modify-vpc-attribute --vpc-id ${vpc ?? '<vpc>'} --enable-dns-hostnames`,
    ),
    step(
      'Start the machines again: names are given at launch.',
      'aws autoscaling start-instance-refresh --auto-scaling-group-name <group>',
    ),
  ],
  decide: step(
    'Read both attributes of the VPC.',
    'aws ec2 describe-vpc-attribute --vpc-id <vpc> --attribute enableDnsHostnames; aws ec2 describe-vpc-attribute --vpc-id <vpc> --attribute enableDnsSupport',
  ),
  page: {
    why: 'EKS and the cloud controller know machines by their private DNS name. Without DNS host names in the VPC there is none, and names in kubelet messages are empty quotes.',
    prevent: 'Set enableDnsSupport and enableDnsHostnames where the VPC is defined.',
    notThis:
      'A few machines of a launch, healed by a restart, are private-dns-name-late. Switched off under running nodes, the controller deletes them: node-deleted-as-not-in-cloud.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_NetworkInterface.html',
      'https://github.com/awslabs/amazon-eks-ami/issues/1376',
    ],
  },
});

const judged = matched(cause, matchInstance);

type Own = ViewOf<typeof cause>;

const SIGNS: readonly SignNameOf<typeof cause>[] = [
  'switchedOff',
  'emptyNodeName',
  'emptyNameNotFound',
];

const ATTRIBUTES = ['EnableDnsHostnames', 'EnableDnsSupport'] as const;

/** EC2 was asked for both attributes, and no answer says that one is off. */
function areBothOn(view: Own): boolean {
  const attributes = view.list('aws/vpc-attribute').map(({ value }) => value);
  return (
    ATTRIBUTES.every((name) => attributes.some((attribute) => attribute[name]?.Value === true)) &&
    attributes.every((attribute) => switchedOff(attribute) === null)
  );
}

/** A running instance meant to be a node that is none, for which EC2 has an empty name. */
function matchInstance(view: Own): Match | null {
  const nameless = view
    .list('aws/instance')
    .find((fact) => fact.value.PrivateDnsName === '' && isNode(fact.value));
  if (nameless === undefined) return areBothOn(view) ? clearUnlessSeen(view, SIGNS) : null;
  if (view.list('kube/Node').some(({ value }) => value.ready === true)) return null;
  const vpc = nameless.value.VpcId ?? null;
  const off = view
    .list('aws/vpc-attribute')
    .filter(({ value }) => (value.VpcId ?? null) === vpc && switchedOff(value) !== null);
  // A setting of the VPC takes the names of all; one that lacks beside others is late.
  if (off.length === 0 && isNamedElsewhere(view, vpc)) return clearUnlessSeen(view, SIGNS);
  const id = nameless.value.InstanceId ?? '';
  return found(vpc === null ? {} : { vpc }, [
    view.quote(nameless, `PrivateDnsName of ${id} is empty, and it runs`),
    ...off.map((fact) => view.quote(fact, `${vpc ?? ''} ${switchedOff(fact.value) ?? ''} false`)),
  ]);
}

/** Another machine of the VPC has its name, or an interface of any machine: both come of the setting. */
function isNamedElsewhere(view: Own, vpc: string | null): boolean {
  const running = view
    .everywhere('aws/instance')
    .filter(({ value }) => value.State?.Name === 'running')
    .flatMap(({ value }) => [value, ...(value.NetworkInterfaces ?? [])]);
  return running.some(
    (one) => vpc !== null && one.VpcId === vpc && (one.PrivateDnsName ?? '') !== '',
  );
}

function switchedOff(attribute: VpcAttribute): string | null {
  return ATTRIBUTES.find((name) => attribute[name]?.Value === false) ?? null;
}

function isNode(instance: Instance): boolean {
  const isTagged = (instance.Tags ?? []).some(({ Key: key }) =>
    /^(?:kubernetes\.io\/cluster\/|eks:|karpenter\.sh\/)/.test(key ?? ''),
  );
  return isTagged && instance.State?.Name === 'running';
}

/** A VPC that runs nodes already is not judged: something else gives them their names. */
export default foreseen(
  judged,
  (plan, group) => {
    const { vpc } = machineOf(plan, group);
    const attributes = lookedUp(plan, VPC_ATTRIBUTES, vpc);
    const off = attributes.find(({ value }) => value.EnableDnsHostnames?.Value === false);
    if (group.cluster === null || attributes.length < 2) return NOT_SHOWN;
    if (off === undefined) return clear;
    if (off.change !== 'create') return NOT_SHOWN;
    // Without DNS support no name resolves at all, which is another cause.
    if (attributes.some(({ value }) => value.EnableDnsSupport?.Value === false)) return NOT_SHOWN;
    return found(
      { machine: group.name, vpc: off.address },
      [
        plan.quote(off, 'enable_dns_hostnames false'),
        plan.quote(group.fact, `${group.name} has its subnets in this VPC`),
      ],
      'likely',
    );
  },
  {
    summary: ({ vpc, planned }) =>
      `DNS host names are off in ${vpc ?? 'the VPC'}, so EC2 will have no private DNS name for the machines of ${planned ?? ''}; EKS needs it to register their Nodes.`,
    remedy: ({ vpc }) => [
      step(
        `Set enable_dns_hostnames = true and enable_dns_support = true in ${vpc ?? 'the aws_vpc'}.`,
      ),
    ],
  },
);
