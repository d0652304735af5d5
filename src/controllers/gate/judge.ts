import type { GatePolicy, Proof } from './policy.ts';
import { proofText, say } from './proofs/say.ts';
import type { Saying, Scene } from './proofs/saying.ts';

export interface ProofSaying {
  readonly proof: Proof;
  readonly saying: Saying;
}

/** What all proofs of one policy say of one node together. */
export interface Judgement {
  readonly verdict: 'proven' | 'unproven' | 'unknown';
  /** By proof, in the order of the policy. */
  readonly sayings: readonly ProofSaying[];
  /** What is missing, one clause; who proves it where nothing is. */
  readonly why: string;
}

type State = Saying['state'];

/** Nothing that is asked for proves nothing. */
function verdictOf(states: readonly State[], isAny: boolean): State {
  if (states.length === 0) return 'unproven';
  if (isAny && states.includes('proven')) return 'proven';
  if (isAny) return states.includes('unknown') ? 'unknown' : 'unproven';
  if (states.includes('unproven')) return 'unproven';
  return states.includes('unknown') ? 'unknown' : 'proven';
}

function sentence({ proof, saying }: ProofSaying): string {
  return saying.state === 'proven' ? proofText(proof) : saying.why;
}

function whyOf(verdict: State, sayings: readonly ProofSaying[]): string {
  if (sayings.length === 0) return 'no proof is asked for, and nothing opens a gate without one';
  const isProven = verdict === 'proven';
  const telling = sayings.filter(({ saying }) => (saying.state === 'proven') === isProven);
  return telling.map(sentence).join('; ');
}

export function proofsOf({ needs }: GatePolicy): readonly Proof[] {
  return 'all' in needs ? needs.all : needs.any;
}

/** Asks every proof of a policy about a node. */
export function judge(policy: GatePolicy, scene: Scene): Judgement {
  const proofs = proofsOf(policy);
  const sayings = proofs.map((proof) => ({ proof, saying: say(proof, scene) }));
  const states = sayings.map(({ saying }) => saying.state);
  const verdict = verdictOf(states, 'any' in policy.needs);
  return { verdict, sayings, why: whyOf(verdict, sayings) };
}
