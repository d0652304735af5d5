import type {
  ExplainedGate,
  ExplainedProof,
  GateExplanation,
} from '../../../controllers/gate/explain.ts';

const MARKS: Readonly<Record<ExplainedProof['state'], string>> = {
  proven: '+',
  unproven: '-',
  unknown: '?',
};

const STATES: Readonly<Record<ExplainedGate['state'], string>> = {
  open: 'open',
  shut: 'shut',
  'shut-again': 'shut again',
};

function proofLine({ proof, state, says, since }: ExplainedProof): string {
  const told = since === null ? '' : ` since ${since}`;
  return `  ${MARKS[state]} ${proof}: ${says}${told}`;
}

function gateLines(gate: ExplainedGate): readonly string[] {
  const { kind, name, state, taint, regressTaint, openedAt, isDryRun, next, proofs } = gate;
  const by = state === 'shut-again' ? (regressTaint ?? taint) : taint;
  const since = openedAt === null ? '' : `, opened ${openedAt}`;
  const held = state === 'open' ? since : ` by ${by}`;
  return [
    `${kind} ${name}: ${STATES[state]}${held}${isDryRun ? ' (dry run)' : ''}`,
    ...proofs.map(proofLine),
    `  ${next}`,
    '',
  ];
}

function otherLines({ otherTaints }: GateExplanation): readonly string[] {
  if (otherTaints.length === 0) return [];
  const lines = otherTaints.map(({ taint, owner }) =>
    owner === null ? `  ${taint}` : `  ${taint} (${owner})`,
  );
  return ['Other taints, which no gate changes:', ...lines, ''];
}

/** The page of `rollcall gate explain`. */
export function explanationPage(explanation: GateExplanation): readonly string[] {
  const { node, state, gates, refusals, notRead } = explanation;
  const head = gates.length === 0 ? 'no gate selects it' : state;
  return [
    `Node ${node}: ${head}`,
    '',
    ...gates.flatMap(gateLines),
    ...otherLines(explanation),
    ...refusals.map((why) => `Refused: ${why}`),
    ...notRead.map((why) => `Not read: ${why}`),
  ];
}
