/** Fleets and launch templates, as Karpenter and people make them. */
import { isObject, type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import type { Account } from '../account.ts';
import type { AwsRefusal } from '../contract.ts';
import {
  listIn,
  needed,
  numberIn,
  objectIn,
  type Operations,
  reads,
  type Request,
  textIn,
} from '../operation.ts';
import { refusalOf } from '../refusal.ts';
import type { Instance } from '../state.ts';
import { launch } from './instances.ts';
import { addVersion, createTemplate, templateOf } from './launch-templates.ts';
import { put } from './network.ts';
import { currentPrice } from './prices.ts';
import { launchOf, tagsFor } from './write-instances.ts';

interface Pool {
  readonly specification: JsonObject;
  readonly overrides: JsonObject;
  readonly instanceType: string;
  readonly subnetId: string;
}

/** Every type and subnet that the fleet may use. */
function poolsOf(input: JsonObject): readonly Pool[] {
  return listIn(input, 'LaunchTemplateConfigs')
    .filter(isObject)
    .flatMap((config) => {
      const specification = objectIn(config, 'LaunchTemplateSpecification');
      return listIn(config, 'Overrides')
        .filter(isObject)
        .map((overrides) => ({
          specification,
          overrides,
          instanceType: textIn(overrides, 'InstanceType') ?? '',
          subnetId: textIn(overrides, 'SubnetId') ?? '',
        }));
    });
}

/** The cheapest first; a Spot fleet goes by the price of the zone. */
function ordered(account: Account, pools: readonly Pool[], isSpot: boolean): readonly Pool[] {
  const price = ({ instanceType, subnetId }: Pool): number =>
    isSpot
      ? currentPrice(account, instanceType, account.subnets.get(subnetId)?.zone.name ?? '')
      : (vcpusOf(account, instanceType) ?? Infinity);
  return pools
    .map((pool) => ({ pool, price: price(pool) }))
    .toSorted((a, b) => a.price - b.price)
    .map(({ pool }) => pool);
}

function vcpusOf(account: Account, instanceType: string): number | null {
  const type = account.types.named(instanceType);
  return 'unknown' in type ? null : type.vcpus;
}

interface Filled {
  readonly made: readonly { readonly pool: Pool; readonly instance: Instance }[];
  readonly errors: readonly JsonObject[];
}

function fill(request: Request, pools: readonly Pool[], wanted: number, isSpot: boolean): Filled {
  const { account, input } = request;
  const made: { readonly pool: Pool; readonly instance: Instance }[] = [];
  const errors: JsonObject[] = [];
  const reservationId = account.ids.resource('r');
  for (const pool of pools) {
    let refusal: AwsRefusal | null = null;
    while (made.length < wanted && refusal === null) {
      refusal = refusalOf(() => {
        const asked = launchOf(account, {
          LaunchTemplate: pool.specification,
          InstanceType: pool.instanceType,
          SubnetId: pool.subnetId,
        });
        const tags = { ...asked.tags, ...tagsFor(input, 'instance') };
        made.push({ pool, instance: launch(account, { ...asked, isSpot, tags, reservationId }) });
      });
    }
    if (refusal !== null) errors.push(errorOf(pool, refusal, isSpot));
    if (made.length >= wanted) break;
  }
  return { made, errors };
}

function errorOf(pool: Pool, { code, message }: AwsRefusal, isSpot: boolean): JsonObject {
  return {
    LaunchTemplateAndOverrides: {
      LaunchTemplateSpecification: pool.specification,
      Overrides: pool.overrides,
    },
    Lifecycle: isSpot ? 'spot' : 'on-demand',
    ErrorCode: isSpot && code === 'InsufficientInstanceCapacity' ? 'UnfulfillableCapacity' : code,
    ErrorMessage: message,
  };
}

/** An instant fleet: what is had at once is answered, and errors beside it. */
function createFleet(request: Request): JsonObject {
  const { account, input } = request;
  const target = objectIn(input, 'TargetCapacitySpecification');
  const isSpot = textIn(target, 'DefaultTargetCapacityType') === 'spot';
  const wanted = numberIn(target, 'TotalTargetCapacity') ?? 1;
  const pools = ordered(account, poolsOf(input), isSpot);
  const { made, errors } = fill(request, pools, wanted, isSpot);
  return {
    FleetId: `fleet-${account.ids.uuid()}`,
    Errors: [...errors],
    Instances: made.map(({ pool, instance }) => ({
      LaunchTemplateAndOverrides: {
        LaunchTemplateSpecification: pool.specification,
        Overrides: pool.overrides,
      },
      Lifecycle: isSpot ? 'spot' : 'on-demand',
      InstanceIds: [instance.instanceId],
      InstanceType: pool.instanceType,
    })),
  };
}

function versionShown(account: Account, id: string): JsonObject {
  const template = templateOf(account, id);
  return { ...template, Tags: [] };
}

function createOne({ account, input }: Request): JsonObject {
  const name = needed(input, 'LaunchTemplateName');
  const asked = objectIn(input, 'LaunchTemplateData');
  const id = createTemplate(account, { name, asked, tags: tagsFor(input, 'launch-template') });
  return { LaunchTemplate: versionShown(account, id) };
}

/** A new version begins with the members of the one that it names as its source. */
function createVersion({ account, input }: Request): JsonObject {
  const template = templateOf(
    account,
    textIn(input, 'LaunchTemplateId') ?? needed(input, 'LaunchTemplateName'),
  );
  const id = textAt(template, 'LaunchTemplateId') ?? '';
  const source = textIn(input, 'SourceVersion');
  const versions = account.plain['launch-template-version'];
  const before =
    source === undefined
      ? {}
      : objectIn(versions.get(`${id}/${source}`) ?? {}, 'LaunchTemplateData');
  const number = addVersion(account, id, { ...before, ...objectIn(input, 'LaunchTemplateData') });
  return { LaunchTemplateVersion: versions.get(`${id}/${number}`) ?? {} };
}

function modifyTemplate({ account, input }: Request): JsonObject {
  const template = templateOf(
    account,
    textIn(input, 'LaunchTemplateId') ?? needed(input, 'LaunchTemplateName'),
  );
  const id = textAt(template, 'LaunchTemplateId') ?? '';
  const version: Json = Number(textIn(input, 'DefaultVersion') ?? template['DefaultVersionNumber']);
  put(account, 'launch-template', id, { ...template, DefaultVersionNumber: version });
  return { LaunchTemplate: versionShown(account, id) };
}

function deleteTemplate({ account, input }: Request): JsonObject {
  const template = templateOf(
    account,
    textIn(input, 'LaunchTemplateId') ?? needed(input, 'LaunchTemplateName'),
  );
  const id = textAt(template, 'LaunchTemplateId') ?? '';
  account.plain['launch-template'].delete(id, account.kernel.nowMs());
  return { LaunchTemplate: template };
}

export const FLEETS: Operations = {
  CreateFleet: reads(createFleet),
  CreateLaunchTemplate: reads(createOne),
  CreateLaunchTemplateVersion: reads(createVersion),
  ModifyLaunchTemplate: reads(modifyTemplate),
  DeleteLaunchTemplate: reads(deleteTemplate),
};
