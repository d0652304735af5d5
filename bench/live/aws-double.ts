import type { Answerer } from './kube-double.ts';
import { CLUSTER, type ClusterSize, type Machine, machinesOf } from './cluster.ts';

const ID = '<requestId>00000000-0000-4000-8000-000000000000</requestId>';
const VPC = 'vpc-0123456789abcdef0';
const LAUNCHED = new Date(Date.now() - 86_400_000).toISOString();

function tag(key: string, value: string): string {
  return `<item><key>${key}</key><value>${value}</value></item>`;
}

function instanceXml({ id, address, name, zone }: Machine): string {
  return `<item><reservationId>r-${id.slice(2)}</reservationId><ownerId>123456789012</ownerId>
<groupSet/><instancesSet><item><instanceId>${id}</instanceId><imageId>ami-0123456789abcdef0</imageId>
<instanceState><code>16</code><name>running</name></instanceState>
<privateDnsName>${name}</privateDnsName><dnsName/><reason/><amiLaunchIndex>0</amiLaunchIndex>
<instanceType>m6i.large</instanceType><launchTime>${LAUNCHED}</launchTime>
<placement><availabilityZone>${zone}</availabilityZone><tenancy>default</tenancy></placement>
<subnetId>subnet-0123456789abcdef0</subnetId><vpcId>${VPC}</vpcId>
<privateIpAddress>${address}</privateIpAddress><sourceDestCheck>true</sourceDestCheck>
<groupSet><item><groupId>sg-0123456789abcdef0</groupId><groupName>nodes</groupName></item></groupSet>
<architecture>x86_64</architecture><blockDeviceMapping/>
<tagSet>${tag(`kubernetes.io/cluster/${CLUSTER}`, 'owned')}${tag('Name', 'workers')}</tagSet>
<iamInstanceProfile><arn>arn:aws:iam::123456789012:instance-profile/workers</arn><id>AIPA</id>
</iamInstanceProfile></item></instancesSet></item>`;
}

function statusXml({ id, zone }: Machine): string {
  const fine = '<status>ok</status><details/>';
  return `<item><instanceId>${id}</instanceId><availabilityZone>${zone}</availabilityZone>
<instanceState><code>16</code><name>running</name></instanceState>
<systemStatus>${fine}</systemStatus><instanceStatus>${fine}</instanceStatus></item>`;
}

/** An interface with the ten addresses that an m6i.large gives its pods. */
function interfaceXml({ id, address, zone }: Machine): string {
  const addresses = Array.from({ length: 10 }, (_, index) => {
    const ip = index === 0 ? address : address.replace('10.', `1${index % 10}.`);
    return `<item><privateIpAddress>${ip}</privateIpAddress><primary>${index === 0}</primary></item>`;
  });
  return `<item><networkInterfaceId>eni-${id.slice(2)}</networkInterfaceId>
<subnetId>subnet-0123456789abcdef0</subnetId><vpcId>${VPC}</vpcId>
<availabilityZone>${zone}</availabilityZone><status>in-use</status>
<privateIpAddress>${address}</privateIpAddress><interfaceType>interface</interfaceType>
<attachment><attachmentId>eni-attach-${id.slice(2)}</attachmentId><instanceId>${id}</instanceId>
<deviceIndex>0</deviceIndex><status>attached</status></attachment>
<privateIpAddressesSet>${addresses.join('')}</privateIpAddressesSet></item>`;
}

interface PagedSet {
  readonly element: string;
  readonly item: (machine: Machine) => string;
}

/** Sets whose items are machines. */
const SETS: Readonly<Record<string, PagedSet>> = {
  DescribeInstances: { element: 'reservationSet', item: instanceXml },
  DescribeInstanceStatus: { element: 'instanceStatusSet', item: statusXml },
  DescribeNetworkInterfaces: { element: 'networkInterfaceSet', item: interfaceXml },
};

/** Sets that are empty here, by the call. */
const EMPTY: Readonly<Record<string, string>> = {
  DescribeVpcs: 'vpcSet',
  DescribeSubnets: 'subnetSet',
  DescribeRouteTables: 'routeTableSet',
  DescribeNetworkAcls: 'networkAclSet',
  DescribeSecurityGroups: 'securityGroupInfo',
  DescribeVpcEndpoints: 'vpcEndpointSet',
  DescribeNatGateways: 'natGatewaySet',
  DescribeInstanceTypes: 'instanceTypeSet',
  DescribeImages: 'imagesSet',
  DescribeDhcpOptions: 'dhcpOptionsSet',
};

function valuesOf(parameters: URLSearchParams, key: RegExp): readonly string[] {
  return [...parameters].filter(([name]) => key.test(name)).map(([, value]) => value);
}

/** Those named by id or by address; all of them where a tag or a VPC selects. */
function selected(machines: readonly Machine[], parameters: URLSearchParams): readonly Machine[] {
  const ids = new Set(valuesOf(parameters, /^InstanceId\.\d+$/));
  if (ids.size > 0) return machines.filter(({ id }) => ids.has(id));
  const values = new Set(valuesOf(parameters, /^Filter\.\d+\.Value\.\d+$/));
  const [name = ''] = valuesOf(parameters, /^Filter\.1\.Name$/);
  if (name === 'tag-key' || name === 'vpc-id') return machines;
  return machines.filter((one) => [one.id, one.address, one.name].some((word) => values.has(word)));
}

const PAGE_MAX = 1000;

function pagedXml(
  action: string,
  { element, item }: PagedSet,
  machines: readonly Machine[],
  parameters: URLSearchParams,
): string {
  const from = Number(parameters.get('NextToken') ?? '0');
  const size = Math.min(PAGE_MAX, Number(parameters.get('MaxResults') ?? String(PAGE_MAX)));
  const all = selected(machines, parameters);
  const next = from + size < all.length ? `<nextToken>${from + size}</nextToken>` : '';
  const items = all
    .slice(from, from + size)
    .map(item)
    .join('');
  return `<${action}Response>${ID}<${element}>${items}</${element}>${next}</${action}Response>`;
}

function ec2Xml(action: string, machines: readonly Machine[], parameters: URLSearchParams): string {
  const paged = SETS[action];
  if (paged !== undefined) return pagedXml(action, paged, machines, parameters);
  const empty = EMPTY[action];
  if (empty !== undefined) return `<${action}Response>${ID}<${empty}/></${action}Response>`;
  const instance = `<instanceId>${parameters.get('InstanceId') ?? ''}</instanceId>`;
  const rest = action === 'GetConsoleOutput' ? '<output/>' : '<userData/>';
  return `<${action}Response>${ID}${instance}${rest}</${action}Response>`;
}

function queryXml(action: string): string {
  const result =
    action === 'GetCallerIdentity'
      ? '<Arn>arn:aws:iam::123456789012:user/bench</Arn><UserId>AIDA</UserId><Account>123456789012</Account>'
      : '<AutoScalingGroups/><OpenIDConnectProviderList/>';
  return `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`;
}

const NO_SUCH_ENTITY =
  '<ErrorResponse><Error><Type>Sender</Type><Code>NoSuchEntity</Code><Message>none</Message></Error></ErrorResponse>';

/** Answers as EC2, Auto Scaling, STS, and as EKS and IAM that know nothing. */
export function awsDouble(size: ClusterSize): Answerer {
  const machines = machinesOf(size);
  return (_request, body, response) => {
    const parameters = new URLSearchParams(body);
    const action = parameters.get('Action');
    if (action === null) {
      const headers = { 'x-amzn-errortype': 'ResourceNotFoundException' };
      {
        response.writeHead(404, headers).end('{"message":"none"}');
        return;
      }
    }
    const xml = { 'content-type': 'text/xml' };
    if (/^(?:GetInstanceProfile|GetRole|ListAttached)/.test(action)) {
      response.writeHead(404, xml).end(NO_SUCH_ENTITY);
      return;
    }
    const isQuery = /^(?:GetCallerIdentity|ListOpenID|DescribeAutoScaling)/.test(action);
    response
      .writeHead(200, xml)
      .end(isQuery ? queryXml(action) : ec2Xml(action, machines, parameters));
  };
}
