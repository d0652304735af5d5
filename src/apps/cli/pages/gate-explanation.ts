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

/** Pods that came first are another question, which needs a list of them. */
function notEnforcedLines({ notEnforced }: ExplainedGate, node: string): readonly string[] {
  if (notEnforced === null) return [];
  const { at, ageSeconds } = notEnforced;
  const age = ageSeconds === null ? '' : `, ${ageSeconds} s after the Node was created`;
  return [
    `  GateNotEnforced: the node came without the taint; the gate put it at ${at}${age}.`,
    `  Register nodes with it, and look for Pods that came first: rollcall gate slip-ins ${node}`,
  ];
}

function gateLines(gate: ExplainedGate, node: string): readonly string[] {
  const { kind, name, state, taint, regressTaint, openedAt, isDryRun, next, proofs } = gate;
  const by = state === 'shut-again' ? (regressTaint ?? taint) : taint;
  const since = openedAt === null ? '' : `, opened ${openedAt}`;
  const held = state === 'open' ? since : ` by ${by}`;
  return [
    `${kind} ${name}: ${STATES[state]}${held}${isDryRun ? ' (dry run)' : ''}`,
    ...proofs.map(proofLine),
    ...notEnforcedLines(gate, node),
    `  ${next}`,
    '',
  ];
}

function removal(node: string, taint: string): string {
  return `kubectl taint node ${node} ${taint}-`;
}

function otherLines({ node, otherTaints }: GateExplanation): readonly string[] {
  if (otherTaints.length === 0) return [];
  const lines = otherTaints.flatMap(({ taint, owner, ownerState, adoptedBy }) => {
    const line = owner === null ? `  ${taint}` : `  ${taint} (${owner})`;
    if (ownerState !== 'gone' || owner === null) return [line];
    if (adoptedBy !== null)
      return [line, `    ${owner} is not installed; NodeGate ${adoptedBy} removes it`];
    return [
      line,
      `    ${owner} is not installed, so nothing removes it:`,
      `    ${removal(node, taint)}`,
    ];
  });
  return ['Other taints:', ...lines, ''];
}

/** The page of `rollcall gate explain`. */
export function explanationPage(explanation: GateExplanation): readonly string[] {
  const { node, state, gates, refusals, notRead } = explanation;
  const head = gates.length === 0 ? 'no gate selects it' : state;
  return [
    `Node ${node}: ${head}`,
    '',
    ...gates.flatMap((gate) => gateLines(gate, node)),
    ...otherLines(explanation),
    ...refusals.map((why) => `Refused: ${why}`),
    ...notRead.map((why) => `Not read: ${why}`),
  ];
}
