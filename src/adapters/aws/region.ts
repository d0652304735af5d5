/** Regions and their partitions. */

/** Prefixes of region names by partition, as the SDKs' `partitions.json` matches them. */
const PARTITIONS: readonly (readonly [RegExp, string])[] = [
  [/^cn-/, 'aws-cn'],
  [/^us-gov-/, 'aws-us-gov'],
  [/^us-isob-/, 'aws-iso-b'],
  [/^us-isof-/, 'aws-iso-f'],
  [/^eu-isoe-/, 'aws-iso-e'],
  [/^us-iso-/, 'aws-iso'],
  [/^eusc-/, 'aws-eusc'],
];

/** The partition of a region, `aws` where none is known. */
export function partitionOf(region: string | null): string {
  return PARTITIONS.find(([prefix]) => prefix.test(region ?? ''))?.[1] ?? 'aws';
}

/**
 * Regions of the partition `aws` that every account has; all later ones must be enabled.
 * https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-regions.html
 */
const EVERYWHERE = new Set(
  (
    'us-east-1 us-east-2 us-west-1 us-west-2 ca-central-1 sa-east-1 eu-central-1 eu-west-1 ' +
    'eu-west-2 eu-west-3 eu-north-1 ap-south-1 ap-southeast-1 ap-southeast-2 ap-northeast-1 ' +
    'ap-northeast-2 ap-northeast-3'
  ).split(' '),
);

/** True for regions which an account must enable before its credentials are known there. */
export function mustBeEnabled(region: string): boolean {
  return partitionOf(region) === 'aws' && !EVERYWHERE.has(region);
}

/** A region's name goes into host names, so that nothing else may be in it. */
export function isRegionName(region: string): boolean {
  return /^[a-z]{2,5}(?:-[a-z]{2,16}){1,3}-\d{1,2}$/.test(region);
}
