/** Calls of CloudFormation, KMS, Route 53, ECR and CloudTrail. */
import { isObject, type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import { isoMoment } from './account.ts';
import { isLike } from './iam/policies.ts';
import {
  listIn,
  needed,
  type Operation,
  type Operations,
  reads,
  type Request,
  textIn,
  textsIn,
} from './operation.ts';
import { refused } from './refusal.ts';

function stacksPaged(list: string, answer: Operation['answer']): Operation {
  return reads(answer, {
    list,
    size: 'none',
    sizeMax: 100,
    sizeDefault: 100,
    token: ['NextToken', 'NextToken'],
  });
}

function stackEvents({ account, input, atMs }: Request): JsonObject {
  const name = needed(input, 'StackName', 'ValidationError');
  const isNamed = (row: JsonObject): boolean =>
    row['StackName'] === name || row['StackId'] === name;
  if (!account.plain.stack.valuesAt(atMs).some(isNamed))
    throw refused('ValidationError', `Stack [${name}] does not exist`);
  const events = account.plain['stack-event'].valuesAt(atMs).filter(isNamed);
  return { StackEvents: events.toReversed() };
}

export const CLOUD_FORMATION: Operations = {
  ListStacks: stacksPaged('StackSummaries', ({ account, input, atMs }) => {
    const wanted = textsIn(input, 'StackStatusFilter');
    const stacks = account.plain.stack.valuesAt(atMs);
    return {
      StackSummaries: stacks.filter(
        (row) => wanted.length === 0 || wanted.includes(textAt(row, 'StackStatus') ?? ''),
      ),
    };
  }),
  DescribeStackEvents: stacksPaged('StackEvents', stackEvents),
};

/** A key by its id, its ARN or an alias. */
function keyOf({ account, input, atMs }: Request): JsonObject {
  const wanted = needed(input, 'KeyId', 'ValidationException');
  const found = account.plain.key
    .valuesAt(atMs)
    .find(
      (row) =>
        [row['KeyId'], row['Arn']].includes(wanted) || listIn(row, 'Aliases').includes(wanted),
    );
  if (found !== undefined) return found;
  const arn = `arn:${account.partition}:kms:${account.region}:${account.accountId}:`;
  const what = wanted.startsWith('alias/')
    ? `Alias ${arn}${wanted} is not found.`
    : `Key '${arn}key/${wanted}' does not exist`;
  throw refused('NotFoundException', what);
}

export const KMS: Operations = {
  DescribeKey: reads((request) => {
    const { Aliases: _aliases, Policy: _policy, ...KeyMetadata } = keyOf(request);
    return { KeyMetadata };
  }),
  GetKeyPolicy: reads((request) => ({
    Policy: textAt(keyOf(request), 'Policy') ?? '',
    PolicyName: 'default',
  })),
};

function zonesOfVpc({ account, input, atMs }: Request): JsonObject {
  const vpcId = needed(input, 'VPCId', 'InvalidInput');
  const zones = account.plain['hosted-zone']
    .valuesAt(atMs)
    .filter((zone) => listIn(zone, 'VpcIds').includes(vpcId))
    .map((zone) => ({
      HostedZoneId: zone['HostedZoneId'] ?? '',
      Name: zone['Name'] ?? '',
      Owner: { OwningAccount: account.accountId },
    }));
  return { HostedZoneSummaries: zones, MaxItems: '100' };
}

function recordSets({ account, input, atMs }: Request): JsonObject {
  const id = needed(input, 'HostedZoneId', 'InvalidInput').replace(/^\/hostedzone\//, '');
  const zone = account.plain['hosted-zone'].at(id, atMs);
  if (zone === undefined)
    throw refused('NoSuchHostedZone', `No hosted zone found with ID: ${id}`, 404);
  const records = account.plain['record-set']
    .valuesAt(atMs)
    .filter((row) => row['HostedZoneId'] === id)
    .map(({ HostedZoneId: _id, ...row }) => row)
    .toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return recordPage(records, input);
}

function orderOf(row: JsonObject): string {
  return `${textAt(row, 'Name') ?? ''} ${textAt(row, 'Type') ?? ''}`;
}

const RECORDS_MAX = 300;

/** The next page begins with the record that is named by its own members. */
function recordPage(records: readonly JsonObject[], input: JsonObject): JsonObject {
  const from = textIn(input, 'StartRecordName');
  const start = `${from ?? ''} ${textIn(input, 'StartRecordType') ?? ''}`;
  const left = from === undefined ? records : records.filter((row) => orderOf(row) >= start);
  const size = Math.min(Number(textIn(input, 'MaxItems') ?? RECORDS_MAX), RECORDS_MAX);
  const next = left[size];
  return {
    ResourceRecordSets: left.slice(0, size),
    IsTruncated: next !== undefined,
    MaxItems: String(size),
    ...(next === undefined
      ? {}
      : { NextRecordName: textAt(next, 'Name') ?? '', NextRecordType: textAt(next, 'Type') ?? '' }),
  };
}

export const ROUTE_53: Operations = {
  ListHostedZonesByVPC: reads(zonesOfVpc),
  ListResourceRecordSets: reads(recordSets),
};

/** A token of ECR is good for twelve hours (ECR user guide). */
const TOKEN_MS = 12 * 3_600_000;

export const ECR: Operations = {
  GetAuthorizationToken: reads(({ account }) => ({
    authorizationData: [
      {
        authorizationToken: btoa(`AWS:${account.ids.secret(64)}`),
        expiresAt: isoMoment(account.kernel.nowMs() + TOKEN_MS),
        proxyEndpoint: `https://${account.accountId}.dkr.ecr.${account.region}.amazonaws.com`,
      },
    ],
  })),
};

function lookup({ account, input, atMs }: Request): JsonObject {
  const attributes = listIn(input, 'LookupAttributes').filter(isObject);
  const fromMs = Date.parse(textIn(input, 'StartTime') ?? '');
  const toMs = Date.parse(textIn(input, 'EndTime') ?? '');
  const events = account.plain['trail-event'].valuesAt(atMs).filter((row) => {
    const ms = Date.parse(textAt(row, 'EventTime') ?? '');
    return !(ms < fromMs) && !(ms > toMs) && attributes.every((one) => hasAttribute(row, one));
  });
  return { Events: events.toReversed() };
}

function hasAttribute(row: JsonObject, attribute: JsonObject): boolean {
  const key = textAt(attribute, 'AttributeKey') ?? '';
  const value = textAt(attribute, 'AttributeValue') ?? '';
  const values: readonly Json[] =
    key === 'ResourceName' || key === 'ResourceType'
      ? listIn(row, 'Resources').map((one) => textAt(one, key))
      : [row[key === 'EventSource' ? 'EventSource' : key] ?? null];
  return values.some((one) => typeof one === 'string' && isLike(value, one));
}

export const CLOUD_TRAIL: Operations = {
  LookupEvents: reads(lookup, {
    list: 'Events',
    size: 'MaxResults',
    sizeMax: 50,
    sizeDefault: 50,
    token: ['NextToken', 'NextToken'],
  }),
};
