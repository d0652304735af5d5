import type { Fault, Injected, FaultScene, Truth } from './contract.ts';
import { MINUTE_MS, SECOND_MS, truthOf } from './shapes.ts';
import { nodeOf, runningMachines } from './targets.ts';

/** Kinds that many list from the cache of the API server. */
const CACHED = ['Node', 'Pod'] as const;
const LAGS_MS = [10, 40, 120].map((seconds) => seconds * SECOND_MS);

/** Lists of version 0 are old; watchers that begin anew meanwhile must not take one for the present. */
const oldCache: Fault = {
  id: 'F11',
  perHour: 2,
  lastsMs: 4 * MINUTE_MS,
  inject({ simulated, looking }, random) {
    const kind = random.pick(CACHED);
    const lagMs = random.pick(LAGS_MS);
    const undo = simulated.api.lagCache(kind, lagMs);
    looking.wire.restart();
    return {
      what: `the API server lists each ${kind} of ${lagMs / 1000} s ago from its cache`,
      truths: [],
      undo,
    };
  },
};

/** A backup is younger than the history that the world keeps. */
const AGES_MS = [30, 60, 120, 240].map((seconds) => seconds * SECOND_MS);

/** Of a machine whose Node is not in the backup: its kubelet has registered once. */
const LOST = ['no-reregistration-after-deletion'];
/** Of the others: what somebody or something had taken off their Nodes is there again. */
const AS_BEFORE: readonly Truth[] = [
  { causes: ['cordon-or-deliberate-taint'], machines: null, shows: ['cordoned'] },
  {
    causes: ['startup-taint-added-after-removal'],
    machines: null,
    shows: ['tainted', 'uninitialized'],
  },
];

function restored(stage: FaultScene, ageMs: number): Injected {
  const { simulated, looking } = stage;
  const members = runningMachines(stage).filter((machine) => nodeOf(stage, machine) !== null);
  looking.wire.rewind();
  simulated.api.restore(simulated.kernel.nowMs() - ageMs);
  const lost = members.filter((machine) => nodeOf(stage, machine) === null);
  return {
    what: `etcd is restored from a backup of ${ageMs / 1000} s ago`,
    truths: [...AS_BEFORE, ...lost.map((machine) => truthOf(machine, LOST, ['deleted']))],
    undo: () => {
      // Whoever restores a backup starts everything again that has read what came after it.
      looking.wire.restart();
      for (const machine of runningMachines(stage))
        if (nodeOf(stage, machine) === null && machine.unit('kubelet') === 'running')
          machine.restartKubelet();
    },
  };
}

/** Faults by which what is read is older than what was read before. */
export const HISTORY_FAULTS: readonly Fault[] = [
  oldCache,
  {
    id: 'F13',
    perHour: 0.5,
    lastsMs: 5 * MINUTE_MS,
    inject: (stage, random) => restored(stage, random.pick(AGES_MS)),
  },
];
