/** What lays a world out and what goes wrong in it, past the APIs. */
import { addressText, cidrOf, sizeOf } from '../../domain/network/cidr.ts';
import { PREFIX_ADDRESSES } from '../../capacity/eni.ts';
import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { AwsService } from '../../ports/aws-api.ts';
import type { Account, PlainKind } from './account.ts';
import { changeGroup, createGroup, type NewGroup } from './autoscaling/groups.ts';
import type { AwsIdentity, AwsRefusal, RunByAgent } from './contract.ts';
import { type Claim, limitCapacity } from './ec2/capacity.ts';
import { type Launch, launch, takeBack, terminate } from './ec2/instances.ts';
import { createInterface, dropInterface } from './ec2/interfaces.ts';
import { createTemplate, type NewTemplate } from './ec2/launch-templates.ts';
import * as network from './ec2/network.ts';
import {
  changeCluster,
  createAddon,
  createAssociation,
  createCluster,
  createEntry,
  createNodegroup,
  createProvider,
  deleteEntry,
  type NewAddon,
  type NewAssociation,
  type NewCluster,
  type NewEntry,
  type NewNodegroup,
  setHealthIssues,
} from './eks/clusters.ts';
import { createUser } from './iam/credentials.ts';
import * as iam from './iam/roles.ts';
import type { Issuer, MetadataFault, Tags } from './state.ts';
import { throttled } from './throttling.ts';

export interface AwsControls {
  readonly account: Account;
  /** How the agents of Systems Manager run a script on a machine. */
  setAgents(run: RunByAgent): void;
  createVpc(wanted: network.NewVpc): string;
  createSubnet(wanted: network.NewSubnet): string;
  createSecurityGroup(wanted: network.NewSecurityGroup): string;
  createImage(wanted: network.NewImage): string;
  createLaunchTemplate(wanted: NewTemplate): string;
  /** An Auto Scaling group, which begins to launch by itself. */
  createAutoScalingGroup(wanted: NewGroup): string;
  setDesiredCapacity(groupName: string, desiredCapacity: number): void;
  /** @returns the ARN of the cluster */
  createCluster(wanted: NewCluster): string;
  /** Changes members of a cluster as DescribeCluster shows it. */
  changeCluster(name: string, changed: JsonObject): void;
  /** @returns the name of its Auto Scaling group */
  createNodegroup(wanted: NewNodegroup): string;
  setNodegroupIssues(cluster: string, nodegroup: string, issues: readonly JsonObject[]): void;
  createAccessEntry(wanted: NewEntry): void;
  deleteAccessEntry(cluster: string, principalArn: string): void;
  createAddon(cluster: string, wanted: NewAddon): void;
  createPodIdentity(wanted: NewAssociation): void;
  /** The IAM provider for tokens of the cluster's service accounts; returns its ARN. */
  createOidcProvider(cluster: string): string;
  /**
   * Who signs the tokens of a cluster's service accounts.
   *
   * @param hasSigned whether a token is one of its own
   */
  publishIssuer(issuer: string, hasSigned: Issuer['hasSigned']): void;
  /** An issuer does not answer for a while. */
  silenceIssuer(issuer: string, durationMs: number): void;
  /** Changes whom a role trusts. */
  setTrust(roleName: string, document: JsonObject): void;
  createRouteTable(wanted: network.NewRouteTable): string;
  createInternetGateway(vpcId: string): string;
  createNatGateway(subnetId: string): string;
  createVpcEndpoint(wanted: network.NewEndpoint): string;
  createPolicy(name: string, document: JsonObject): string;
  /** Keeps an object that the calls show as it is: a key, a stack, a hosted zone, a record. */
  put(kind: PlainKind, id: string, value: JsonObject): void;
  /** An instance profile with one role; returns its ARN. */
  createNodeRole(wanted: iam.NewRole): { readonly roleArn: string; readonly profileArn: string };
  createRole(wanted: iam.NewRole): string;
  /** A user with keys, who may do everything unless policies are named. */
  createUser(name: string, policies?: readonly string[]): AwsIdentity;
  attachPolicy(roleName: string, policy: string): void;
  detachPolicy(roleName: string, policy: string): void;
  /** @returns the id of the instance; @throws RefusedError */
  launch(wanted: Launch): string;
  terminate(instanceId: string): void;
  setTags(resourceId: string, tags: Tags): void;
  /** No call shows the instance for so long. */
  hideInstance(instanceId: string, durationMs: number): void;
  /** No call shows the tags of the instance for so long. */
  hideTags(instanceId: string, durationMs: number): void;
  /** No call shows the private DNS name of the instance for so long. */
  hideName(instanceId: string, durationMs: number): void;
  /** Interfaces that are detached from now on stay `detaching` for so long. */
  stickInterfaces(durationMs: number): void;
  /** Takes one address of every block of sixteen, so that no prefix is left. */
  fragmentSubnet(subnetId: string): void;
  /** Breaks the metadata service of an instance for so long. */
  breakMetadata(instanceId: string, kind: MetadataFault['kind'], durationMs: number): void;
  /** Takes addresses until so many are free, with interfaces of some other service. */
  exhaustSubnet(subnetId: string, freeAddresses: number): void;
  /** Gives back the addresses that `exhaustSubnet` and `fragmentSubnet` have taken. */
  relieveSubnet(subnetId: string): void;
  /** Interfaces as a killed VPC CNI leaves them behind: available, with its tags. */
  leakInterfaces(subnetId: string, count: number): readonly string[];
  limitCapacity(claim: Claim, count: number): void;
  /** Tells a Spot Instance that it is taken away in two minutes. */
  interruptSpot(instanceId: string): void;
  /** Denies an action to everyone; a pattern such as `ec2:Describe*` too. */
  deny(action: string): void;
  allow(action: string): void;
  /** Denies an action to one role. */
  denyRole(roleName: string, action: string): void;
  allowRole(roleName: string, action: string): void;
  /**
   * Refuses calls.
   *
   * @param selector an action, `ec2:*` or `*`
   * @param times how often; until `unrefuse` without
   */
  refuse(selector: string, refusal: AwsRefusal, times?: number): void;
  unrefuse(selector: string): void;
  /** Throttles an action whatever its bucket holds. */
  throttle(action: string, times?: number): void;
  /** How often each action was called so far. */
  calls(): ReadonlyMap<string, number>;
}

export function createControls(account: Account): AwsControls {
  return {
    account,
    ...layout(account),
    ...roles(account),
    ...clusters(account),
    ...machines(account),
    ...faults(account),
    calls: () => new Map(account.calls),
  };
}

function layout(account: Account) {
  return {
    createVpc: (wanted: network.NewVpc) => network.createVpc(account, wanted),
    createSubnet: (wanted: network.NewSubnet) => network.createSubnet(account, wanted),
    createSecurityGroup: (wanted: network.NewSecurityGroup) =>
      network.createSecurityGroup(account, wanted),
    createImage: (wanted: network.NewImage) => network.createImage(account, wanted),
    createLaunchTemplate: (wanted: NewTemplate) => createTemplate(account, wanted),
    createRouteTable: (wanted: network.NewRouteTable) => network.createRouteTable(account, wanted),
    createInternetGateway: (vpcId: string) => network.createInternetGateway(account, vpcId),
    createNatGateway: (subnetId: string) => network.createNatGateway(account, subnetId),
    createVpcEndpoint: (wanted: network.NewEndpoint) => network.createVpcEndpoint(account, wanted),
    put: (kind: PlainKind, id: string, value: JsonObject) => {
      network.put(account, kind, id, value);
    },
    setTags: (resourceId: string, tags: Tags) => network.setTags(account, resourceId, tags),
  };
}

function roleArn(account: Account, wanted: iam.NewRole): string {
  return textAt(iam.createRole(account, wanted), 'Arn') ?? '';
}

function roles(account: Account) {
  return {
    createRole: (wanted: iam.NewRole) => roleArn(account, wanted),
    createNodeRole: (wanted: iam.NewRole) => ({
      roleArn: roleArn(account, wanted),
      profileArn: iam.createProfile(account, wanted.name),
    }),
    createUser: (name: string, policies?: readonly string[]) => {
      const { arn, accessKeyId } = createUser(account, name, policies);
      return { arn, accessKeyId };
    },
    createPolicy: (name: string, document: JsonObject) => iam.createPolicy(account, name, document),
    attachPolicy: (roleName: string, policy: string) => iam.attachPolicy(account, roleName, policy),
    detachPolicy: (roleName: string, policy: string) => iam.detachPolicy(account, roleName, policy),
    denyRole: (roleName: string, action: string) => {
      const statement = { Effect: 'Deny', Action: action, Resource: '*' };
      const document = { Version: '2012-10-17', Statement: [statement] };
      iam.putInlinePolicy(account, roleName, `deny-${action}`, document);
    },
    allowRole: (roleName: string, action: string) =>
      iam.putInlinePolicy(account, roleName, `deny-${action}`, null),
  };
}

function clusters(account: Account) {
  return {
    createAutoScalingGroup: (wanted: NewGroup) => createGroup(account, wanted),
    setDesiredCapacity: (groupName: string, desiredCapacity: number) =>
      changeGroup(account, groupName, { desiredCapacity }),
    createCluster: (wanted: NewCluster) => createCluster(account, wanted),
    changeCluster: (name: string, changed: JsonObject) =>
      changeCluster(account, name, (before) => ({ ...before, ...changed })),
    createNodegroup: (wanted: NewNodegroup) => createNodegroup(account, wanted),
    setNodegroupIssues: (cluster: string, nodegroup: string, issues: readonly JsonObject[]) =>
      setHealthIssues(account, cluster, nodegroup, issues),
    createAccessEntry: (wanted: NewEntry) => {
      createEntry(account, wanted);
    },
    deleteAccessEntry: (cluster: string, principalArn: string) =>
      deleteEntry(account, cluster, principalArn),
    createAddon: (cluster: string, wanted: NewAddon) => createAddon(account, cluster, wanted),
    createPodIdentity: (wanted: NewAssociation) => {
      createAssociation(account, wanted);
    },
    createOidcProvider: (cluster: string) => createProvider(account, cluster),
    publishIssuer: (issuer: string, hasSigned: Issuer['hasSigned']) => {
      account.issuers.set(issuer, { hasSigned, silentUntilMs: 0 });
    },
    silenceIssuer: (issuer: string, durationMs: number) => {
      const found = account.issuers.get(issuer);
      const silentUntilMs = account.kernel.nowMs() + durationMs;
      if (found !== undefined) account.issuers.set(issuer, { ...found, silentUntilMs });
    },
    setTrust: (roleName: string, document: JsonObject) => iam.setTrust(account, roleName, document),
  };
}

function machines(account: Account) {
  return {
    launch: (wanted: Launch) => launch(account, wanted).instanceId,
    terminate: (instanceId: string) => terminate(account, instanceId),
    setAgents: (run: RunByAgent) => {
      account.agents.run = run;
    },
    hideInstance: (instanceId: string, durationMs: number) => {
      account.hiddenUntilMs.set(instanceId, account.kernel.nowMs() + durationMs);
    },
    hideTags: (instanceId: string, durationMs: number) => {
      account.tagsHiddenUntilMs.set(instanceId, account.kernel.nowMs() + durationMs);
    },
    hideName: (instanceId: string, durationMs: number) => {
      account.namelessUntilMs.set(instanceId, account.kernel.nowMs() + durationMs);
    },
    stickInterfaces: (durationMs: number) => {
      account.stuck.detachUntilMs = account.kernel.nowMs() + durationMs;
    },
    fragmentSubnet: (subnetId: string) => fragment(account, subnetId),
    breakMetadata: (instanceId: string, kind: MetadataFault['kind'], durationMs: number) => {
      account.metadataFaults.set(instanceId, {
        kind,
        untilMs: account.kernel.nowMs() + durationMs,
      });
    },
    interruptSpot: (instanceId: string) => takeBack(account, instanceId),
    exhaustSubnet: (subnetId: string, freeAddresses: number) =>
      exhaust(account, subnetId, freeAddresses),
    relieveSubnet: (subnetId: string) => relieve(account, subnetId),
    leakInterfaces: (subnetId: string, count: number) => leak(account, subnetId, count),
    limitCapacity: (claim: Claim, count: number) => limitCapacity(account, claim, count),
  };
}

/** An interface holds so many addresses at most in what fills a subnet here. */
const FILL_MAX = 50;
const FILLING = 'RDSNetworkInterface';
const FRAGMENTING = 'ELB app/lab';

function exhaust(account: Account, subnetId: string, freeAddresses: number): void {
  const surplus = (): number => (account.books.get(subnetId)?.free ?? 0) - freeAddresses;
  while (surplus() > 0) {
    const addressCount = Math.min(FILL_MAX, surplus()) - 1;
    createInterface(account, { subnetId, description: FILLING, groupIds: [], addressCount });
  }
}

function fragment(account: Account, subnetId: string): void {
  const block = cidrOf(account.subnets.get(subnetId)?.cidr ?? '');
  const book = account.books.get(subnetId);
  if (block === null || book === undefined) return;
  const end = block.first + sizeOf(block);
  for (let first = block.first + 7; first < end; first += PREFIX_ADDRESSES) {
    const address = addressText(first);
    if (book.isFree(address))
      createInterface(account, { subnetId, description: FRAGMENTING, groupIds: [], address });
  }
}

function relieve(account: Account, subnetId: string): void {
  for (const one of account.interfaces.values()) {
    const isOurs = one.description === FILLING || one.description === FRAGMENTING;
    if (isOurs && one.subnetId === subnetId) dropInterface(account, one.networkInterfaceId);
  }
}

const LEAKED_ADDRESSES = 10;

/**
 * As amazon-vpc-cni-k8s makes them (its awsutils): description, tags, and not attached; as many as
 * the subnet has addresses for.
 */
function leak(account: Account, subnetId: string, count: number): readonly string[] {
  const most = Math.floor((account.books.get(subnetId)?.free ?? 0) / LEAKED_ADDRESSES);
  return Array.from({ length: Math.min(count, most) }, () => {
    const instanceId = account.ids.resource('i');
    const description = `aws-K8S-${instanceId}`;
    const made = createInterface(account, {
      subnetId,
      description,
      groupIds: [],
      addressCount: LEAKED_ADDRESSES - 1,
    });
    network.setTags(account, made.networkInterfaceId, {
      'node.k8s.amazonaws.com/instance_id': instanceId,
      'node.k8s.amazonaws.com/createdAt': new Date(account.kernel.nowMs()).toISOString(),
    });
    return made.networkInterfaceId;
  });
}

function faults(account: Account) {
  const refuse = (selector: string, refusal: AwsRefusal, times = Infinity): void => {
    account.refusals.set(selector, { refusal, left: times });
  };
  return {
    refuse,
    unrefuse: (selector: string) => {
      account.refusals.delete(selector);
    },
    throttle: (action: string, times?: number) => {
      const service = action.slice(0, action.indexOf(':')) as AwsService;
      refuse(action, throttled(service).refusal, times);
    },
    deny: (action: string) => {
      account.denials.push(action);
    },
    allow: (action: string) => {
      const place = account.denials.indexOf(action);
      if (place >= 0) account.denials.splice(place, 1);
    },
  };
}
