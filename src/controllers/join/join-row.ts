import type { RollCallRow } from '../../diagnosis/roll-call/document.ts';
import type { Finding } from '../../diagnosis/document.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import type { JoinEvent } from './event.ts';

/** What the diagnosis names as the reason of a failed join. */
export type JoinHeadline = Pick<Finding, 'cause' | 'stage' | 'confidence'>;

/** The machine as its own join knows it at its end: a row of a roll call that saw nothing else. */
export function rowOfJoin(end: JoinEvent, headline: JoinHeadline | null): RollCallRow {
  const { instanceId, node, message } = end;
  const name = node ?? instanceId ?? '';
  return {
    name,
    instanceId,
    node: end.nodeUid === null ? null : node,
    group: { kind: 'none', name: null },
    instanceType: null,
    zone: null,
    image: null,
    launchedAt: null,
    stage: headline?.stage ?? null,
    verdict: verdictOf(end),
    headline: headline === null ? null : { ...headlineOf(headline), subject: name },
    risks: [],
    note: `rollcall join: ${message}`,
  };
}

function headlineOf({ cause, stage, confidence }: JoinHeadline): JoinHeadline {
  return { cause, stage, confidence };
}

function verdictOf({ event, failure }: JoinEvent): Verdict {
  if (event === 'joined') return 'usable';
  return failure === 'time-over-unseen' ? 'cannot-tell' : 'not-usable';
}
