import { type Ask, type AwsSource, createAsk } from './asking.ts';
import { filters } from './aws-calls.ts';
import type { CollectedDocument } from './document.ts';
import type { Observations, Refusal } from '../evidence/observations.ts';
import { createReading } from '../readers/reading.ts';
import { compileSigns } from '../readers/sign-table.ts';

/** What was answered, and what was not. */
export interface Gathered {
  readonly observations: Observations;
  readonly refusals: readonly Refusal[];
}

/**
 * Asks AWS a few calls of its own and reads the answers as any other evidence.
 *
 * @param ending ends calls that are under way
 */
export async function gather(
  source: AwsSource,
  work: (ask: Ask) => Promise<unknown>,
  ending = new AbortController().signal,
): Promise<Gathered> {
  const reading = createReading(compileSigns([]));
  const refusals: Refusal[] = [];
  const evidence = {
    add: ({ locator, content }: CollectedDocument) => reading.take(locator, content),
    shorten: () => undefined,
    refuse: (refusal: Refusal) => refusals.push(refusal),
  };
  await work(createAsk(source, evidence, ending));
  return { observations: reading.finish(), refusals };
}

/** What one type in some subnets needs to be known, before any machine is there. */
export async function askPlan(ask: Ask, type: string, subnetIds: readonly string[]): Promise<void> {
  const bySubnet = { Filters: filters({ 'subnet-id': subnetIds }) };
  const inSubnets =
    subnetIds.length === 0
      ? []
      : ['DescribeSubnets', 'DescribeNetworkInterfaces'].map((operation) =>
          ask({ service: 'ec2', operation, input: bySubnet }),
        );
  const input = { InstanceTypes: [type] };
  await Promise.all([
    ask({ service: 'ec2', operation: 'DescribeInstanceTypes', input, isOptional: true }),
    ...inSubnets,
  ]);
}
