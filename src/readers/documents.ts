import { classifyName, type MachineName } from '../evidence/names.ts';
import { printable, redact } from '../evidence/redact.ts';
import type { LineSource } from '../evidence/source.ts';

/** A document of the pile while it is read. */
export interface MutableDocument {
  readonly locator: string;
  readonly container: string | null;
  readonly machines: Map<string, MachineName>;
  readonly sources: Set<LineSource>;
  linesRead: number;
  zoneOffsetMs: number | null;
  readonly isGiven: boolean;
  /** Of lines that are not the document's own: where each is in what was given. */
  lineNumbers: readonly number[] | null;
}

/**
 * The machine of `eks_i-0123456789abcdef0_2026-03-02_0926-UTC_0.7.8.tar.gz`, as the log collector of
 * EKS calls its archives, or of a folder of that name (amazon-eks-ami, eks-log-collector.sh).
 */
const COLLECTED_FROM = /(?:^|[/\\!])eks_(i-[0-9a-f]{8,17})_\d{4}-/;

function archiveOwner(path: string): MachineName | null {
  const id = COLLECTED_FROM.exec(path)?.[1];
  return id === undefined ? null : classifyName(id, 'instance-id');
}

export function newDocument(
  given: string,
  givenContainer: string | null,
  isGiven = false,
): MutableDocument {
  const locator = redact(printable(given));
  const container = givenContainer === null ? null : redact(printable(givenContainer));
  const owner = archiveOwner(locator);
  return {
    locator,
    container,
    machines: new Map(owner === null ? [] : [[owner.value, owner]]),
    sources: new Set(),
    linesRead: 0,
    zoneOffsetMs: null,
    isGiven,
    lineNumbers: null,
  };
}
