import { isoMs } from '../../evidence/time.ts';

/** What a gate kept on a Node that it found without ever having had its taint. */
export interface NotEnforced {
  readonly nodeUid: string;
  /** When the gate put the taint, ms since the epoch. */
  readonly atMs: number;
  readonly taint: { readonly key: string; readonly effect: string };
}

/** Where the annotation that keeps it ends; it begins as the gate's record. */
export const NOT_ENFORCED_SUFFIX = '.not-enforced';

const KEY = /^gate\.rollcall\.dev\/[^./]+\.not-enforced$/;
const TEXT = /^(?<uid>\S+) at=(?<at>\S+) taint=(?<key>[^\s:]+):(?<effect>\S+)$/;

/** @param at ISO 8601 */
export function notEnforcedText(nodeUid: string, at: string, taint: NotEnforced['taint']): string {
  return `${nodeUid} at=${at} taint=${taint.key}:${taint.effect}`;
}

/** null for a text that no gate writes. */
export function readNotEnforced(text: string): NotEnforced | null {
  const { uid, at, key, effect } = TEXT.exec(text)?.groups ?? {};
  const atMs = isoMs(at);
  if (uid === undefined || key === undefined || effect === undefined || atMs === null) return null;
  return { nodeUid: uid, atMs, taint: { key, effect } };
}

/** What gates kept on a Node; what a former Node of the same name left is none of it. */
export function notEnforcedOn({
  uid,
  annotations,
}: {
  readonly uid: string | null;
  readonly annotations: Readonly<Record<string, string>>;
}): readonly NotEnforced[] {
  return Object.entries(annotations)
    .filter(([key]) => KEY.test(key))
    .map(([, text]) => readNotEnforced(text))
    .filter((one) => one !== null)
    .filter(({ nodeUid }) => uid === null || nodeUid === uid);
}
