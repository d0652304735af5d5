/** Calls of EC2 that change instances. */
import { isObject, type JsonObject, textAt } from '../../../evidence/json.ts';
import type { Account } from '../account.ts';
import { roleArnOf } from '../iam/roles.ts';
import {
  flagIn,
  listIn,
  needed,
  numberIn,
  objectIn,
  objectsIn,
  type Operation,
  type Operations,
  reads,
  type Request,
  textIn,
  textsIn,
} from '../operation.ts';
import { refused } from '../refusal.ts';
import type { HostnameType, Instance, MetadataOptions, Tags } from '../state.ts';
import {
  changeInstance,
  instanceOf,
  type Launch,
  launch,
  reboot,
  start,
  stop,
  tagsOf,
  terminate,
} from './instances.ts';
import { templateVersion } from './launch-templates.ts';
import { setTags } from './network.ts';
import { decodeText, reservationShown, stateChange } from './read-instances.ts';
import { showInstance } from './show.ts';

/** As many as EC2 launches by one request here; more are split by everyone. */
const COUNT_MAX = 1000;

function runInstances(request: Request): JsonObject {
  const { account, input } = request;
  const count = numberIn(input, 'MaxCount') ?? numberIn(input, 'MinCount') ?? 1;
  if (!Number.isInteger(count) || count < 1 || count > COUNT_MAX) {
    const message = `Invalid value '${count}' for parameter maxCount.`;
    throw refused('InvalidParameterValue', message);
  }
  const wanted = launchOf(account, input);
  const reservationId = account.ids.resource('r');
  const made = Array.from({ length: count }, () => launch(account, { ...wanted, reservationId }));
  return reservationShown(account, made);
}

/** What a request asks for: its launch template first, its own members over that. */
export function launchOf(account: Account, input: JsonObject): Launch {
  const template = templateVersion(account, objectIn(input, 'LaunchTemplate'));
  const asked = { ...template?.asked, ...input };
  const [network] = objectsIn(asked, 'NetworkInterfaces');
  const subnetId = textIn(asked, 'SubnetId') ?? textAt(network, 'SubnetId') ?? anySubnet(account);
  const groupIds = [...textsIn(asked, 'SecurityGroupIds'), ...textsIn(network ?? {}, 'Groups')];
  const spot = objectIn(asked, 'InstanceMarketOptions');
  return {
    subnetId,
    instanceType: textIn(asked, 'InstanceType') ?? 'm1.small',
    imageId: needed(asked, 'ImageId'),
    ...(groupIds.length === 0 ? {} : { groupIds }),
    profileArn: profileArn(account, objectIn(asked, 'IamInstanceProfile')),
    userData: decodeText(textIn(asked, 'UserData') ?? ''),
    isSpot: textIn(spot, 'MarketType') === 'spot',
    keyName: textIn(asked, 'KeyName') ?? null,
    tags: { ...tagsFor(template?.asked ?? {}, 'instance'), ...tagsFor(input, 'instance') },
    metadataOptions: metadataOptions(objectIn(asked, 'MetadataOptions')),
    ...hostnameOf(objectIn(asked, 'PrivateDnsNameOptions')),
    address: textIn(asked, 'PrivateIpAddress'),
    launchTemplate: template?.reference ?? null,
    ...clientToken(asked),
  };
}

function clientToken(input: JsonObject): Pick<Launch, 'clientToken'> {
  const token = textIn(input, 'ClientToken');
  return token === undefined ? {} : { clientToken: token };
}

function hostnameOf(options: JsonObject): { readonly hostnameType?: HostnameType } {
  const type = textIn(options, 'HostnameType');
  return type === 'ip-name' || type === 'resource-name' ? { hostnameType: type } : {};
}

/** Without a subnet EC2 takes one of the default VPC; here the first. */
function anySubnet(account: Account): string {
  const [first] = account.subnets.values();
  if (first !== undefined) return first.subnetId;
  const message =
    'No default VPC for this user. GroupName is only supported for EC2-Classic and default VPC.';
  throw refused('VPCIdNotSpecified', message);
}

/** @throws RefusedError for a profile that IAM does not show (yet) */
export function profileArn(account: Account, given: JsonObject): string | null {
  const arn = textIn(given, 'Arn');
  const name = textIn(given, 'Name') ?? arn?.slice(arn.lastIndexOf('/') + 1);
  if (name === undefined) return null;
  const found = textAt(account.plain['instance-profile'].get(name), 'Arn');
  if (found !== null && roleArnOf(account, found) !== null) return found;
  const [parameter, value] = arn === undefined ? ['name', name] : ['arn', arn];
  const message = `Value (${value}) for parameter iamInstanceProfile.${parameter} is invalid. Invalid IAM Instance Profile ${parameter}`;
  throw refused('InvalidParameterValue', message);
}

/** Tags of a request for one kind of resource. */
export function tagsFor(input: JsonObject, resourceType: string): Tags {
  const own = objectsIn(input, 'TagSpecifications').filter(
    (one) => textAt(one, 'ResourceType') === resourceType,
  );
  return tagsOf(own.flatMap((one) => listIn(one, 'Tags')));
}

export function metadataOptions(given: JsonObject): Partial<MetadataOptions> {
  const tokens = textIn(given, 'HttpTokens');
  const limit = numberIn(given, 'HttpPutResponseHopLimit');
  const endpoint = textIn(given, 'HttpEndpoint');
  const tags = textIn(given, 'InstanceMetadataTags');
  return {
    ...(tokens === 'required' || tokens === 'optional' ? { httpTokens: tokens } : {}),
    ...(limit === undefined ? {} : { httpPutResponseHopLimit: limit }),
    ...(endpoint === 'enabled' || endpoint === 'disabled' ? { httpEndpoint: endpoint } : {}),
    ...(tags === 'enabled' || tags === 'disabled' ? { instanceMetadataTags: tags } : {}),
  };
}

/** Ends, stops or starts what is named; nothing is done when one of them is not there. */
function changes(
  member: string,
  change: (account: Account, instanceId: string) => void,
): Operation {
  return reads(({ account, input }) => {
    const ids = [...new Set(textsIn(input, 'InstanceIds'))];
    const before = ids.map((id) => instanceOf(account, id));
    const rows = before.map((instance) => {
      change(account, instance.instanceId);
      return stateChange(instance, account.instances.get(instance.instanceId) ?? instance);
    });
    return { [member]: rows };
  });
}

function modifyMetadata({ account, input }: Request): JsonObject {
  const InstanceId = needed(input, 'InstanceId');
  const { metadataOptions: before } = instanceOf(account, InstanceId);
  changeInstance(account, InstanceId, {
    metadataOptions: { ...before, ...metadataOptions(input) },
  });
  return { InstanceId, InstanceMetadataOptions: shownOptions(account, InstanceId) };
}

function shownOptions(account: Account, instanceId: string): JsonObject {
  const nowMs = account.kernel.nowMs();
  const shown = showInstance(account, instanceOf(account, instanceId), {
    atMs: nowMs,
    tagsMs: nowMs,
  });
  const options = shown['MetadataOptions'];
  return isObject(options) ? options : {};
}

function createTags({ account, input }: Request): JsonObject {
  for (const id of textsIn(input, 'Resources')) {
    if (id.startsWith('i-')) instanceOf(account, id);
    setTags(account, id, tagsOf(listIn(input, 'Tags')));
  }
  return {};
}

function deleteTags({ account, input }: Request): JsonObject {
  const keys = new Set(Object.keys(tagsOf(listIn(input, 'Tags'))));
  for (const id of textsIn(input, 'Resources')) {
    account.tags.change(id, account.kernel.nowMs(), (before) =>
      Object.fromEntries(Object.entries(before).filter(([key]) => keys.size > 0 && !keys.has(key))),
    );
  }
  return {};
}

function associateProfile({ account, input }: Request): JsonObject {
  const instanceId = needed(input, 'InstanceId');
  const arn = profileArn(account, objectIn(input, 'IamInstanceProfile'));
  changeInstance(account, instanceId, { profileArn: arn });
  return {
    IamInstanceProfileAssociation: associationOf(instanceOf(account, instanceId), 'associating'),
  };
}

function associationOf({ instanceId, profileArn: arn }: Instance, State: string): JsonObject {
  return {
    AssociationId: `iip-assoc-${instanceId.slice('i-'.length)}`,
    InstanceId: instanceId,
    IamInstanceProfile: { Arn: arn ?? '', Id: 'AIPA' },
    State,
  };
}

function disassociateProfile({ account, input }: Request): JsonObject {
  const instanceId = needed(input, 'AssociationId').replace('iip-assoc-', 'i-');
  const before = instanceOf(account, instanceId);
  changeInstance(account, instanceId, { profileArn: null });
  return { IamInstanceProfileAssociation: associationOf(before, 'disassociating') };
}

/** Members that ModifyInstanceAttribute changes here; others are refused. */
function modifyAttribute({ account, input }: Request): JsonObject {
  const instanceId = needed(input, 'InstanceId');
  instanceOf(account, instanceId);
  const groups = textsIn(input, 'Groups');
  if (groups.length > 0) changeInstance(account, instanceId, { groupIds: groups });
  else if (flagIn(objectIn(input, 'SourceDestCheck'), 'Value') === undefined)
    throw refused('InvalidParameterCombination', 'No attributes specified.');
  return {};
}

export const WRITE_INSTANCES: Operations = {
  RunInstances: reads(runInstances),
  TerminateInstances: changes('TerminatingInstances', (account, id) => terminate(account, id)),
  StopInstances: changes('StoppingInstances', stop),
  StartInstances: changes('StartingInstances', start),
  RebootInstances: reads(({ account, input }) => {
    const ids = textsIn(input, 'InstanceIds');
    for (const id of ids) instanceOf(account, id);
    for (const id of ids) reboot(account, id);
    return {};
  }),
  ModifyInstanceMetadataOptions: reads(modifyMetadata),
  ModifyInstanceAttribute: reads(modifyAttribute),
  AssociateIamInstanceProfile: reads(associateProfile),
  DisassociateIamInstanceProfile: reads(disassociateProfile),
  CreateTags: reads(createTags),
  DeleteTags: reads(deleteTags),
};
