import { type Ask, createAsk } from '../../src/collection/asking.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { Refusal } from '../../src/evidence/observations.ts';
import { type FakeAws, fakeAws } from '../ports/fake/aws-api.ts';

/** Asks, and tells by call what was asked for and what was refused. */
export async function asked(
  prepare: (aws: FakeAws) => void,
  work: (ask: Ask) => Promise<unknown>,
): Promise<{ readonly calls: readonly string[]; readonly refusals: readonly Refusal[] }> {
  const aws = fakeAws({ clock: systemClock, region: 'eu-west-1' });
  prepare(aws);
  const refusals: Refusal[] = [];
  const evidence = {
    add: () => {},
    shorten: () => {},
    refuse: (one: Refusal) => refusals.push(one),
  };
  await work(createAsk({ aws, clock: systemClock }, evidence, new AbortController().signal));
  const calls = [...aws.requests()].map(([call, count]) => `${call} ${count}`);
  return { calls: calls.toSorted(), refusals };
}
