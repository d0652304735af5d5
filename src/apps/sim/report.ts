import type { HappenedFault } from '../../sim/run/log.ts';
import type { Violation } from '../../sim/invariants/contract.ts';
import type { SeedRun } from './one-seed.ts';
import type { SmallFailure } from './shrink-failure.ts';

function minutes(ms: number): string {
  const whole = Math.round(ms / 1000);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** One line of what a seed was and how it ended. */
export function seedLine({ swarm, result, wallMs, hash }: SeedRun): string {
  const { cluster, groups } = swarm.world;
  const nodes = groups.reduce((sum, { count }) => sum + count, 0);
  const { violations, counts } = result;
  const faults = [...counts.faults.values()].reduce((sum, one) => sum + one, 0);
  const end =
    violations.length === 0
      ? 'all held'
      : [...new Set(violations.map(({ rule }) => rule))].join(', ');
  return [
    `seed ${swarm.seed}: ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`,
    `${cluster.kind} ${cluster.version}, ${cluster.podNetwork}, cloud controller ${cluster.cloudController}`,
    `${faults} ${faults === 1 ? 'fault' : 'faults'}, ${counts.looks} looks`,
    `${(wallMs / 1000).toFixed(1)} s`,
    hash.slice(0, 12),
    end,
  ].join('; ');
}

function happenedLine({ atMs, endedMs, name, what }: HappenedFault): string {
  const end = endedMs === null ? '' : `, until ${minutes(endedMs)}`;
  return `  ${minutes(atMs)}  ${name}  ${what}${end}`;
}

function violationLine({ rule, atMs, subject, what }: Violation, startMs: number): string {
  return `  ${minutes(atMs - startMs)}  ${rule}  ${subject}: ${what}`;
}

/** A failure that was shrunk: what happened, what does not hold, and the line that repeats it. */
export function failureText(
  { run, violation, repro, tried }: SmallFailure,
  from: SeedRun,
  file: string | null,
): string {
  const { startMs } = run.swarm.world;
  const lines = [
    `${violation.rule} does not hold; shrunk from ${from.injections.length} to ${run.injections.length} ${run.injections.length === 1 ? 'fault' : 'faults'} in ${tried} runs:`,
    ...run.result.happened.map(happenedLine),
    violationLine(violation, startMs),
    `  repeat: ${repro}`,
    ...(file === null ? [] : [`  diagnose: rollcall diagnose ${file}`]),
  ];
  return `${lines.join('\n')}\n`;
}
