import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Attribution, Happening } from '../../../src/controllers/lifecycle/happening.ts';
import { SETTLING_MS } from '../../../src/controllers/lifecycle/gone.ts';
import { type LifecycleMemory, NOTHING_KNOWN } from '../../../src/controllers/lifecycle/memory.ts';
import { shareOf, tellShare } from '../../share.ts';
import { type TrueDeletion, type Watched, watchWorld } from './watched-world.ts';

/** Faults by which Nodes come and go: people, backups, names, reboots, Spot, and what EC2 hides. */
const FAULTS = ['F13', 'F23', 'F36', 'F38', 'F41', 'F46', 'F47', 'F50', 'F51', 'F54', 'F64', 'F72'];
const WISHES = { nodes: 6, hours: 1, faults: FAULTS };
const ALL_SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
const SEEDS = shareOf(ALL_SEEDS, 2);
tellShare('seeds of the lifecycle watch', SEEDS.length, ALL_SEEDS.length);
const PLAIN = { unreadShare: 0.08, staleShare: 0.04, restartShare: 0.02 };

/** After a deletion the next look that reads the Nodes may be two looks away, and then it settles. */
const TOLD_WITHIN_MS = 90_000 + SETTLING_MS;

const CLOUD_CONTROLLER = 'system:serviceaccount:kube-system:cloud-controller-manager';

function deletedIn({ happenings }: Watched): readonly Happening[] {
  return happenings.filter(({ kind }) => kind === 'deleted');
}

const BEHAVIORS: Readonly<Record<string, string>> = {
  '1.29': 'deletes-up-to-1.29',
  '1.34': 'keeps-from-1.30-to-1.34',
  '1.37': 'deletes-since-1.37',
};

function wrongInHand({ hand }: Attribution, { user }: TrueDeletion): string | null {
  const truth =
    user === CLOUD_CONTROLLER ? 'cloud-node-lifecycle' : user === null ? null : 'person';
  return hand === null || hand === truth ? null : `the request of ${hand}, not of ${user}`;
}

/** What is wrong with a deleter that was named, null where it is right or unknown. */
function wrongInDeleter(
  { deleter }: Attribution,
  truth: TrueDeletion,
  release: string,
): string | null {
  const { kind, reason, behavior, user } = deleter;
  const said = `${kind} ${reason ?? ''} ${behavior ?? ''} ${user ?? ''}`;
  const isRight = ((): boolean => {
    if (kind === 'unknown') return true;
    if (kind === 'person')
      return user === null ? truth.user === 'kubernetes-admin' : user === truth.user;
    if (kind === 'spot-interruption') return truth.stateReason === 'Server.SpotInstanceTermination';
    if (kind !== 'cloud-node-lifecycle' || truth.user !== CLOUD_CONTROLLER) return false;
    if (behavior !== null && behavior !== BEHAVIORS[release]) return false;
    if (reason === 'name-lookup-failed') return !truth.hasProviderId;
    if (reason === 'instance-missing') return truth.hasProviderId && truth.state === 'running';
    if (reason === 'instance-terminated') return /terminated|shutting-down/.test(truth.state);
    return reason === 'unknown';
  })();
  return isRight ? null : `${said}, but ${JSON.stringify(truth)}`;
}

/** Each deletion that the watch should have told of, with how it was told. */
function compare(watched: Watched): readonly string[] {
  const told = Map.groupBy(deletedIn(watched), ({ uid }) => uid);
  const late = watched.untilMs - TOLD_WITHIN_MS;
  return watched.deletions.flatMap((truth) => {
    const all = told.get(truth.uid) ?? [];
    if (all.length === 0)
      return truth.atMs > late || isBack(watched, truth)
        ? []
        : [`${truth.name} at ${truth.atMs} was not told`];
    if (all.length > 1) return [`${truth.name} was told ${all.length} times`];
    return all.flatMap(({ attribution }) => {
      if (attribution === null) return [`${truth.name} without an attribution`];
      const wrong = [
        wrongInHand(attribution, truth),
        wrongInDeleter(attribution, truth, watched.release),
      ];
      return wrong.filter((one) => one !== null).map((what) => `${truth.name}: ${what}`);
    });
  });
}

/** A backup brought the Node back before anybody missed it. */
function isBack({ memory, restoredMs }: Watched, { uid, atMs }: TrueDeletion): boolean {
  return memory.nodes.has(uid) || restoredMs.some((ms) => ms >= atMs && ms - atMs < 300_000);
}

function untrue(watched: Watched): readonly string[] {
  const gone = new Set(watched.deletions.map(({ uid }) => uid));
  return deletedIn(watched)
    .filter(({ uid }) => !gone.has(uid ?? ''))
    .map(({ node, proof }) => `${node} was told deleted: ${JSON.stringify(proof)}`);
}

/** How many deletions by one deleter were told, and of how many the deleter was named. */
interface Tally {
  told: number;
  named: number;
}

function truthKind({ user }: TrueDeletion): string {
  if (user === null) return 'a backup';
  return user === CLOUD_CONTROLLER ? 'the cloud controller' : 'people';
}

describe('the lifecycle watch in simulated clusters', () => {
  const tallies = new Map<string, Tally>();
  let isWhole = true;
  for (const seed of SEEDS)
    test(`tells each deletion once, by the right deleter or none (seed ${seed})`, async () => {
      const hasAudit = seed % 4 < 2;
      const restart = (memory: LifecycleMemory): LifecycleMemory => memory;
      const watched = await watchWorld({ seed, wishes: WISHES, hasAudit, restart, ...PLAIN });
      const truths = new Map(watched.deletions.map((truth) => [truth.uid, truth]));
      for (const { uid, attribution } of deletedIn(watched)) {
        const truth = truths.get(uid ?? '');
        if (truth === undefined) continue;
        const key = `${truthKind(truth)} ${hasAudit ? 'with' : 'without'} an audit log`;
        const tally = tallies.get(key) ?? { told: 0, named: 0 };
        tally.told++;
        if (attribution?.deleter.kind !== 'unknown') tally.named++;
        tallies.set(key, tally);
      }
      const wrong = [...compare(watched), ...untrue(watched)];
      isWhole &&= wrong.length === 0;
      assert.deepEqual(wrong, []);
    });

  test('names every deleter that says so or that the audit log shows', (context) => {
    assert.ok(isWhole);
    const lines = [...tallies].map(([key, { told, named }]) => `${key}: ${named} of ${told}`);
    context.diagnostic(`deletions whose deleter is named, by ${lines.toSorted().join('; ')}`);
    const sum = [...tallies.values()].reduce((all, { told }) => all + told, 0);
    assert.ok(sum >= 1.5 * SEEDS.length, `${sum} deletions`);
    for (const key of [
      'people with',
      'the cloud controller with',
      'the cloud controller without',
    ]) {
      const { told, named } = tallies.get(`${key} an audit log`) ?? { told: 0, named: 0 };
      assert.ok(told > 0 && named >= 0.9 * told, `${key}: ${named} of ${told}`);
    }
  });
});

describe('a watch that loses its memory', () => {
  for (const seed of [3, 8, 13])
    test(`tells of no deletion that did not happen (seed ${seed})`, async () => {
      const watched = await watchWorld({
        seed,
        wishes: WISHES,
        hasAudit: false,
        ...PLAIN,
        restart: () => NOTHING_KNOWN,
        restartShare: 0.1,
      });
      assert.deepEqual(untrue(watched), []);
    });
});
