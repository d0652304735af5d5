import type { SpotPrice } from '../../../evidence/aws/instance.ts';
import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';
import type { Seen } from '../../../evidence/fact.ts';
import {
  shortGroups,
  type ShortGroup,
  sizeOf,
  spotTypes,
  templateUse,
} from '../../../domain/instances/launch.ts';

const LAUNCHERS = ['aws-message', 'terraform', 'client-output', 'karpenter', 'node-claim'] as const;
const FAILURES = ['lowerThanMarket', 'code'] as const;

/** The most that a group pays for spot machines is less than the market asks. */
const cause = defineCause({
  id: 'spot-price-too-low',
  stage: 'launched',
  title: 'the highest price for spot machines is below the market’s',
  scope: 'group',
  signs: {
    lowerThanMarket: definite(
      LAUNCHERS,
      /Spot request price of (?<price>[\d.]+\d) is lower than the minimum required Spot request fulfillment price of (?<market>[\d.]+\d)/,
    ),
    code: definite(LAUNCHERS, /\bSpotMaxPriceTooLow\b/),
    activitySucceeded: withdraws(
      ['aws-message'],
      /\bSuccessful\b.{0,20}\bLaunching a new EC2 instance: i-/,
    ),
  },
  needs: [
    'aws/auto-scaling-group',
    'aws/launch-configuration',
    'aws/launch-template-version',
    'aws/spot-request',
    'aws/spot-price',
  ],
  symptoms: ['group-cannot-launch'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['karpenter-launch-timeout', 'early-instance-termination'],
  summary: ({ group, request, type, price, market, size }) =>
    group !== undefined
      ? `The Auto Scaling group ${group} pays at most ${price ?? 'too little'} USD an hour for spot machines, and the cheapest of its types (${type ?? ''}) costs ${market ?? 'more'}; it stays at ${size ?? 'fewer machines than it wants'}.`
      : request !== undefined
        ? `The spot request ${request} pays at most ${price ?? 'too little'} USD an hour for ${type ?? 'its type'}, which costs ${market ?? 'more'}; EC2 gives it no machine.`
        : sentence`EC2 launches no spot machine: the highest price asked for${phrase`, ${price} USD an hour,`} is below the market’s${phrase` of ${market}`}.`,
  remedy: ({ group }) => [
    step(
      'Leave the highest price out: EC2 then never takes more than the on-demand price.',
      `aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names ${group ?? '<group>'} --query 'AutoScalingGroups[0].MixedInstancesPolicy' > policy.json && sed -i 's/"SpotMaxPrice": "[^"]*"/"SpotMaxPrice": ""/' policy.json && aws autoscaling update-auto-scaling-group --auto-scaling-group-name ${group ?? '<group>'} --mixed-instances-policy file://policy.json`,
    ),
  ],
  decide: step(
    'Compare the market’s prices with the highest price of the group.',
    'aws ec2 describe-spot-price-history --instance-types <type> --product-descriptions Linux/UNIX --start-time "$(date -u +%FT%TZ)" --query SpotPriceHistory[].[AvailabilityZone,SpotPrice]',
  ),
  page: {
    why: 'A highest price was set when spot machines cost less. Prices follow demand for months, and one day the market is above it: running machines are reclaimed and new ones are refused.',
    prevent: 'Set no highest price; the on-demand price is the limit then.',
    notThis:
      'No machine of the type left in the zone is insufficient-instance-capacity, whatever is paid. A limit on how many spot machines may run is account-quota-reached.',
    alsoKnownAs: [
      'SpotMaxPriceTooLow',
      'Your Spot request price is lower than the minimum required Spot request fulfillment price',
      'price-too-low',
    ],
    refs: [
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-request-status.html',
      'https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstancesDistribution.html',
    ],
  },
});

export default matched(cause, (view) => clearWhenFilled(view, FAILURES) ?? matchLaunches(view));

type Own = ViewOf<typeof cause>;

function matchLaunches(view: Own): Match | null {
  const ofGroups = matchGroup(view);
  if (ofGroups !== null && ofGroups !== clear) return ofGroups;
  return matchRequest(view) ?? ofGroups ?? (setsNoPrice(view) && !isSaid(view) ? clear : null);
}

/** True where none of the groups that lack machines says what it pays at most. */
function setsNoPrice(view: Own): boolean {
  const groups = view.list('aws/auto-scaling-group');
  const short = shortGroups(groups, view.list('aws/launch-template-version'));
  return short.length > 0 && short.every((group) => isWithoutPrice(view, group));
}

/** The price is in the policy, where there is one, else in what the group launches with. */
function isWithoutPrice(view: Own, { group: { value }, template }: ShortGroup): boolean {
  const policy = value.MixedInstancesPolicy?.InstancesDistribution;
  if (policy) return !policy.SpotMaxPrice;
  const name = value.LaunchConfigurationName ?? null;
  const configuration = view
    .list('aws/launch-configuration')
    .find((fact) => (fact.value.LaunchConfigurationName ?? null) === name);
  if (name !== null)
    return configuration !== undefined && (configuration.value.SpotPrice ?? null) === null;
  if (templateUse(value) === null) return true;
  if (template === null) return false;
  const market = template.value.LaunchTemplateData?.InstanceMarketOptions;
  return (market?.SpotOptions?.MaxPrice ?? null) === null;
}

/** What the market asks for one type in one zone now. */
interface Price {
  readonly fact: Seen<SpotPrice>;
  readonly type: string;
  readonly zone: string;
  readonly usd: number;
}

/** The last price of each type and zone; older ones are history. */
function pricesOf(view: Own): readonly Price[] {
  const last = new Map<string, { readonly price: Price; readonly stamp: string }>();
  for (const fact of view.list('aws/spot-price')) {
    const [type, zone] = [fact.value.InstanceType ?? '', fact.value.AvailabilityZone ?? ''];
    const stamp = fact.value.Timestamp ?? '';
    const usd = Number(fact.value.SpotPrice ?? Number.NaN);
    const key = `${type} ${zone} ${fact.value.ProductDescription ?? ''}`;
    if (Number.isFinite(usd) && stamp >= (last.get(key)?.stamp ?? ''))
      last.set(key, { price: { fact, type, zone, usd }, stamp });
  }
  return [...last.values()].map(({ price }) => price);
}

function cheapest(prices: readonly Price[]): Price | undefined {
  return prices.toSorted((a, b) => a.usd - b.usd)[0];
}

/** A group short of machines that pays less than the cheapest of its types costs anywhere. */
function matchGroup(view: Own): Match | null {
  const prices = pricesOf(view);
  let isDecided = false;
  for (const group of view.list('aws/auto-scaling-group')) {
    const most = group.value.MixedInstancesPolicy?.InstancesDistribution?.SpotMaxPrice ?? null;
    const size = sizeOf(group.value);
    const [types, zones] = [
      spotTypes(group.value),
      (group.value.AvailabilityZones ?? []).map(String),
    ];
    const own = prices.filter(({ type, zone }) => types.includes(type) && zones.includes(zone));
    const best = cheapest(own);
    const isWhole = types.every((type) => own.some((price) => price.type === type));
    if (size === null || size.inService >= size.desired || !most || !isWhole) continue;
    if (best === undefined) continue;
    isDecided = true;
    if (best.usd <= Number(most)) continue;
    const standing = `${size.inService} of ${size.desired} machines`;
    const market = String(best.usd);
    return found({ group: size.name, type: best.type, price: most, market, size: standing }, [
      view.quote(group, `AutoScalingGroup ${size.name} SpotMaxPrice ${most}, ${standing}`),
      view.quote(best.fact, `spot price of ${best.type} in ${best.zone}: ${market}`),
    ]);
  }
  return isDecided && !isSaid(view) ? clear : null;
}

function isSaid(view: Own): boolean {
  return view.anySign(...FAILURES);
}

/** A request that waits, or whose machine was reclaimed, because of the price. */
function matchRequest(view: Own): Match | null {
  const request = view
    .list('aws/spot-request')
    .find(({ value }) => /price-too-low|by-price/.test(value.Status?.Code ?? ''));
  if (request === undefined) return null;
  const { value } = request;
  const [id, most] = [value.SpotInstanceRequestId ?? '', value.SpotPrice ?? ''];
  const [type, zone] = [
    value.LaunchSpecification?.InstanceType ?? '',
    value.LaunchedAvailabilityZone ?? '',
  ];
  const own = pricesOf(view).filter(
    (price) => price.type === type && (zone === '' || price.zone === zone),
  );
  const best = cheapest(own);
  if (best === undefined) return unread(type);
  if (best.usd <= Number(most)) return isSaid(view) ? null : clear;
  const market = String(best.usd);
  const code = value.Status?.Code ?? '';
  return found({ request: id, type, price: most, market }, [
    view.quote(request, `spot request ${id} ${code}, SpotPrice ${most}`),
    view.quote(best.fact, `spot price of ${type} in ${best.zone}: ${market}`),
  ]);
}

function unread(type: string): Match {
  return cannotSay({
    reason: 'not-collected',
    detail: `what the spot market asks for ${type === '' ? 'the type' : type}`,
    collect: `aws ec2 describe-spot-price-history --instance-types ${type === '' ? '<type>' : type} --product-descriptions Linux/UNIX --start-time "$(date -u +%FT%TZ)"`,
  });
}
