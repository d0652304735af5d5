import { declareCommand } from '../options/declaration.ts';
import { LIVE_OPTIONS, PAGE_OUTPUT } from './shared.ts';

const { context, kubeconfig } = LIVE_OPTIONS;

export const GATE = declareCommand({
  name: 'gate',
  summary: 'Say why a gate keeps a node shut, proof by proof',
  usage: ['gate explain NODE [options]'],
  description: [
    'Reads the Node, the NodeGates and NodeReadinessRules that select it, and what they ask for: DaemonSets, Pods, conditions, CSI drivers, labels and resources. For each proof it says who proves it and since when, or what is missing. It needs no controller and changes nothing.',
  ],
  words: { most: 2, completes: [] },
  options: { ...PAGE_OUTPUT, context, kubeconfig },
  exitCodes: {
    0: 'no gate keeps the node shut',
    1: 'a gate keeps it shut',
    2: 'a gate keeps it shut, and one of its proofs cannot be looked at',
  },
  examples: [
    {
      title: 'What a node waits for',
      command: 'rollcall gate explain ip-10-0-1-2.ec2.internal',
    },
    {
      title: 'For a program',
      command: 'rollcall gate explain ip-10-0-1-2.ec2.internal -o json',
    },
  ],
  seeAlso: ['controller', 'diagnose', 'status'],
});
