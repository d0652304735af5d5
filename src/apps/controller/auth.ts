import { AUTH_RULES, AuthKeeper, type AuthKeeperOptions } from '../../controllers/auth/keeper.ts';
import type { LostMapping } from '../../controllers/auth/facts.ts';
import type { MachineNotes } from '../../controllers/auth/machine-notes.ts';
import { AWS_AUTH } from '../../controllers/fix/auth/config-map.ts';
import type { FixStep, FixTools, UndoNote } from '../../controllers/fix/fix.ts';
import { lengthText, shellWord } from '../../domain/words.ts';
import type { KubeWrites } from '../../ports/kube-writes.ts';
import type { Random } from '../../ports/random.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { readRoles, withoutInserted, withRole } from '../../readers/kube/aws-auth-edit.ts';
import type { EventNote } from '../../runtime/events/event-correlator.ts';
import type { Logger } from '../../runtime/log/logger.ts';
import type { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import { perform } from '../../runtime/perform.ts';

export interface AuthTools {
  readonly writes: KubeWrites;
  readonly random: Random;
  readonly recorder: Pick<Recorder, 'append' | 'notes'>;
  /** Hears what to say of machines. */
  readonly machineNotes: MachineNotes;
  readonly log: Logger;
  readonly registry: MetricsRegistry;
  /** Writes an Event, where this replica leads and Events are written. */
  readonly publish: (note: EventNote) => void;
}

export type AuthSettings = Pick<
  AuthKeeperOptions,
  'mode' | 'identity' | 'kube' | 'clock' | 'isDryRun'
>;

const OUTCOMES: readonly FixStep['outcome'][] = [
  'not-needed',
  'would-write',
  'written',
  'overwritten',
  'refused',
  'conflict',
  'unclear',
];

/** The keeper of aws-auth with its lines in the log, its metrics and its Events. */
export function createAuthKeeper(settings: AuthSettings, tools: AuthTools): AuthKeeper {
  const { log, registry } = tools;
  const restored = registry.counter({
    name: 'rollcall_auth_restorations_total',
    help: 'Mappings of node roles that were put back into aws-auth, by outcome.',
    labels: { outcome: OUTCOMES },
  });
  let blind: string | null = null;
  let unnoted: string | null = null;
  const report = reporter(settings, tools);
  const { clock } = settings;
  return new AuthKeeper({
    ...settings,
    notes: notesOf(settings, tools),
    editor: { readRoles, withRole, withoutInserted },
    toolsFor: (id, isAllowed) => fixTools(id, isAllowed, settings, tools),
    onLost: (lost, uid) => {
      report(lost, uid);
      if (settings.mode === 'restore') tools.machineNotes.lost(lost, clock.nowMs());
    },
    onEnd: (lost, step, uid) => {
      const { mapping } = lost;
      const { outcome, why } = step;
      tools.machineNotes.ended(lost, step, clock.nowMs());
      restored.add({ outcome });
      const line = `mapping of ${mapping.arn}: ${why}`;
      if (outcome === 'written') log.info(line, { outcome });
      else log.warn(line, { outcome });
      if (outcome === 'written') tools.publish(noteOf(uid, 'Normal', 'NodeRoleMapped', line));
    },
    onBlind: (why) => {
      if (why !== null && why !== blind)
        log.warn(`aws-auth is unknown and nothing is put back: ${why}`);
      blind = why;
    },
    onUnnoted: (why) => {
      if (why !== null && why !== unnoted)
        log.warn(`what aws-auth had is not kept and nothing is put back: ${why}`);
      unnoted = why;
    },
  });
}

function noteOf(
  uid: string | null,
  type: EventNote['type'],
  reason: string,
  message: string,
): EventNote {
  const name = { namespace: 'kube-system', name: 'aws-auth' };
  const about = { apiVersion: 'v1', kind: 'ConfigMap', ...name, uid: uid ?? '' };
  return { about, type, reason, message };
}

const MEMORY_NOTE = 'auth/memory';

function notesOf({ kube }: AuthSettings, { recorder }: AuthTools): AuthKeeperOptions['notes'] {
  const cluster = kube.server;
  return {
    read: async () => (await recorder.notes(cluster)).get(MEMORY_NOTE),
    write: async (body) => {
      await recorder.append([], [{ cluster, id: MEMORY_NOTE, body }]);
    },
  };
}

/** Notes of a restoration are kept as `rollcall fix undo` reads them. */
function fixTools(
  id: string,
  isAllowed: () => boolean,
  { kube, clock, isDryRun }: AuthSettings,
  { writes, random, recorder }: AuthTools,
): FixTools {
  const cluster = kube.server;
  const notes: UndoNote[] = [];
  return {
    kube,
    aws: null,
    clock,
    random,
    perform: async (action) =>
      perform(
        action,
        { api: kube, writes, recorder, clock, cluster },
        { isDryRun: isDryRun(), isAllowed },
      ),
    performAws: async () => {
      throw new TypeError('the keeper of aws-auth changes nothing in AWS');
    },
    keep: async (note) => {
      notes.push(note);
      await recorder.append([], [{ cluster, id: `fix/${id}`, body: { notes } }]);
    },
  };
}

/** Reports each lost mapping once, and how many there are now. */
function reporter(
  { mode, isDryRun }: AuthSettings,
  { log, registry, publish }: AuthTools,
): AuthKeeperOptions['onLost'] {
  const gauge = registry.gauge({
    name: 'rollcall_lost_role_mappings',
    help: 'Mappings of node roles that aws-auth had and lost, by whether machines are shut out.',
    labels: { machines: ['shut-out', 'none'] },
  });
  let reported: ReadonlySet<string> = new Set();
  return (lost, uid) => {
    const settled = lost.filter(({ verdict }) => verdict !== 'settling');
    const used = settled.filter(({ machines }) => machines.length > 0);
    gauge.set(used.length, { machines: 'shut-out' });
    gauge.set(settled.length - used.length, { machines: 'none' });
    for (const one of settled) {
      if (reported.has(keyOf(one, isDryRun()))) continue;
      const line = sentenceOf(one, mode);
      log.warn(line, { diff: diffOf(one) });
      publish(noteOf(uid, 'Warning', 'NodeRoleUnmapped', line));
    }
    reported = new Set(settled.map((one) => keyOf(one, isDryRun())));
  };
}

/** A dry run put nothing back that could be gone again. */
function keyOf({ mapping, verdict }: LostMapping, isDryRun: boolean): string {
  return `${mapping.arn} ${isDryRun && verdict === 'resting' ? 'restore' : verdict}`;
}

function diffOf({ mapping: { arn, username, groups } }: LostMapping): string {
  return [`- rolearn: ${arn}`, `  username: ${username}`, `  groups: ${groups.join(', ')}`].join(
    '\n',
  );
}

function sentenceOf(lost: LostMapping, mode: AuthKeeperOptions['mode']): string {
  const { mapping, machines, by } = lost;
  const who = by === null ? '' : `, last written by ${by}`;
  const gone = `${AWS_AUTH}${who} does not map ${mapping.arn} as a node any more`;
  if (machines.length === 0) return `${gone}; no machine misses it`;
  return `${gone}; shut out: ${machines.join(', ')}; ${thenOf(lost, mode)}`;
}

function thenOf({ verdict, mapping }: LostMapping, mode: AuthKeeperOptions['mode']): string {
  const command = `rollcall fix auth --into aws-auth --role ${shellWord(mapping.arn)} --cluster NAME --yes`;
  if (verdict === 'remapped') return `another entry maps it; correct it: ${command}`;
  if (mode === 'report') return `map it again: ${command}`;
  const rest = lengthText(AUTH_RULES.restMs);
  if (verdict === 'resting')
    return `it was put back less than ${rest} ago and stays out; have whoever writes aws-auth keep it`;
  if (verdict === 'over-budget')
    return `${AUTH_RULES.most} mappings were put back within ${rest}; map it yourself: ${command}`;
  return 'it is put back';
}
