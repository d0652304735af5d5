/**
 * The parts of Rollcall that a fault, an invariant or a planted bug is about; each brings its own
 * when it comes.
 */
export const PARTS = {
  gate: 'readiness gate',
  evictor: 'slip-in evictor',
  agent: 'node agent and its probes',
  join: 'join supervisor',
  access: 'fixer of aws-auth and access entries',
  addresses: 'cleaner of leaked network interfaces',
  diagnosis: 'evidence, diagnosis and timelines',
  runtime: 'leader election and runtime of controllers',
} as const;

export type Part = keyof typeof PARTS;
