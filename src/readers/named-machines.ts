import { classifyName, type MachineName } from '../evidence/names.ts';
import { redact } from '../evidence/redact.ts';
import type { Captures } from '../evidence/sighting.ts';
import { type LineSource, SOURCES } from '../evidence/source.ts';
import type { ReadLine } from './quotes.ts';

/** A name that an object carries may hold a secret like any other text. */
export function shownName(name: MachineName): MachineName {
  const value = redact(name.value);
  return value === name.value ? name : { kind: name.kind, value };
}

export function machineOf(captures: Captures, line: ReadLine): MachineName | null {
  const named = captures['instance'] ?? captures['node'] ?? captures['self'];
  const captured = named === undefined ? null : classifyName(named);
  if (captured !== null) return captured;
  if (line.about !== null) return line.about;
  if (line.host === null || !hostCounts(line.source)) return null;
  return classifyName(line.host, 'host');
}

function hostCounts(source: LineSource): boolean {
  return SOURCES[source].onMachine || source === 'unknown';
}

/**
 * The machine of `eks_i-0123456789abcdef0_2026-03-02_0926-UTC_0.7.8.tar.gz`, as the log collector of
 * EKS calls its archives, or of a folder of that name (amazon-eks-ami, eks-log-collector.sh).
 */
const COLLECTED_FROM = /(?:^|[/\\!])eks_(i-[0-9a-f]{8,17})_\d{4}-/;

export function archiveOwner(path: string): MachineName | null {
  const id = COLLECTED_FROM.exec(path)?.[1];
  return id === undefined ? null : classifyName(id, 'instance-id');
}
