import { declareCommand } from '../options/declaration.ts';
import { LIVE_OPTIONS, PAGE_OUTPUT } from './shared.ts';

const { context, kubeconfig } = LIVE_OPTIONS;

export const GATE = declareCommand({
  name: 'gate',
  summary: 'Say why a gate keeps a node shut, and which Pods came too early',
  usage: ['gate explain NODE [options]', 'gate slip-ins [NODE] [options]', 'gate convert FILE…'],
  description: [
    'Reads the Node, the NodeGates and NodeReadinessRules that select it, and what they ask for: DaemonSets, Pods, conditions, CSI drivers, labels and resources. For each proof it says who proves it and since when, or what is missing. It needs no controller and changes nothing.',
    'slip-ins lists the Pods that came to a node before its gate opened it and do not tolerate its taint, each with what shows it and what is done about it, and the Pods by which the controller had others replaced.',
    'convert prints NodeGates for configuration of nidhogg, of vigil (with the DaemonSets of the cluster) and for NodeReadinessRules: files, ConfigMaps or lists of kubectl, - for the standard input. Comments say what a NodeGate does differently. See docs/gate-compatibility.md.',
  ],
  words: { most: 64, completes: ['file'] },
  options: { ...PAGE_OUTPUT, context, kubeconfig },
  exitCodes: {
    0: 'no gate keeps the node shut; no Pod slipped in; everything was converted',
    1: 'a gate keeps it shut; Pods slipped in; something cannot be converted',
    2: 'a gate keeps it shut, and one of its proofs cannot be looked at; something was not read',
  },
  examples: [
    {
      title: 'What a node waits for',
      command: 'rollcall gate explain ip-10-0-1-2.ec2.internal',
    },
    {
      title: 'NodeGates instead of rules',
      command: 'kubectl get nodereadinessrules -o yaml | rollcall gate convert -',
    },
    {
      title: 'Pods that came too early',
      command: 'rollcall gate slip-ins',
    },
    {
      title: 'For a program',
      command: 'rollcall gate explain ip-10-0-1-2.ec2.internal -o json',
    },
  ],
  seeAlso: ['controller', 'diagnose', 'status'],
});
