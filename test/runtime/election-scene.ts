/** Candidates for one Lease in memory, on a clock that the test moves. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { LeaderElection } from '../../src/runtime/election/election.ts';
import type { ElectionOptions, Leading } from '../../src/runtime/election/election-options.ts';
import { whenAborted } from '../../src/runtime/abort.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';
import {
  leaseApi,
  type LeaseCall,
  type LeaseFault,
  LeaseStore,
  leaseWrites,
} from './lease-server.ts';

export interface Scene {
  readonly clock: VirtualClock;
  readonly store: LeaseStore;
  readonly calls: LeaseCall[];
  /** What every further call meets. */
  fault: LeaseFault | null;
  readonly candidates: Candidate[];
}

export function scene(): Scene {
  return { clock: virtualClock(), store: new LeaseStore(), calls: [], fault: null, candidates: [] };
}

export interface Candidate {
  readonly election: LeaderElection;
  readonly stop: AbortController;
  readonly ended: Promise<string>;
  /** Of the present or last leadership. */
  leading: Leading | null;
}

async function untilStopped({ stop, lost }: Leading): Promise<void> {
  await whenAborted(AbortSignal.any([stop, lost]));
}

export function candidate(
  context: TestContext,
  told: Scene,
  identity: string,
  options: Partial<ElectionOptions> = {},
): Candidate {
  const { clock, store, calls } = told;
  const door = { store, clock, calls, fault: () => told.fault };
  const stop = new AbortController();
  const election = new LeaderElection({
    api: leaseApi(door),
    writes: leaseWrites(door),
    clock,
    random: { next: () => 0.5 },
    lease: { namespace: 'rollcall', name: 'controller' },
    identity,
    ...options,
    lead: async (leading) => {
      made.leading = leading;
      await (options.lead ?? untilStopped)(leading);
    },
  });
  const ended = election.run(stop.signal).catch((error: unknown) => String(error));
  const made: Candidate = { election, stop, ended, leading: null };
  told.candidates.push(made);
  context.after(async () => {
    for (const one of told.candidates) one.stop.abort();
    await clock.advance(60_000);
    await ended;
    assert.equal(clock.sleeping(), 0, 'a timer outlived the election');
  });
  return made;
}
