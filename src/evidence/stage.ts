/** The eleven rungs every machine climbs, lowest first; a machine stands at the first that fails. */
export const STAGES = [
  'launched',
  'bootstrapped',
  'reachable',
  'authenticated',
  'identified',
  'registered',
  'retained',
  'networked',
  'credentialed',
  'gated',
  'usable',
] as const;

export type Stage = (typeof STAGES)[number];

/** Position on the ladder, 0 for `launched`; lower stages explain higher ones. */
export function stageIndex(stage: Stage): number {
  return STAGES.indexOf(stage);
}

export function isStage(text: string): text is Stage {
  return (STAGES as readonly string[]).includes(text);
}
