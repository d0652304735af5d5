import { declareCommand } from '../options/declaration.ts';
import { LIVE_OPTIONS } from './shared.ts';

export const DIAGNOSE = declareCommand({
  name: 'diagnose',
  summary: 'Find why machines are not usable Nodes: one cause, its proof, the fix',
  usage: [
    'diagnose [NODE|INSTANCE|ADDRESS|NODECLAIM]… [options]',
    'diagnose PATH… [--with PATH]… [options]',
    'diagnose --host [options]',
    'diagnose [NODE|INSTANCE]… --record FILE [--at TIME] [options]',
  ],
  description: [
    'Without a path Rollcall looks at the cluster of the kubeconfig and at AWS. It only reads. An argument that contains "/" or exists as a file is a path; "-" reads standard input.',
    'Paths may be any evidence: journals, pod logs, cloud-init output, kubectl and aws output, archives of the EKS log collector, must-gather, sosreport, pasted text. Rollcall recognizes them by content.',
    'With --record Rollcall judges what a flight recording kept, as it would have then; with --save that evidence is a bundle that gives the same answer.',
    'A name that no machine has ends with exit code 64.',
  ],
  words: { most: Infinity, completes: ['machine', 'file'] },
  options: {
    output: {
      kind: 'choice',
      short: 'o',
      value: 'FORMAT',
      noun: 'format',
      values: ['text', 'json', 'yaml', 'markdown'],
      default: 'text',
      help: 'Output format',
    },
    with: {
      kind: 'text',
      value: 'PATH',
      multiple: true,
      completes: 'file',
      help: 'Add evidence that was collected earlier',
    },
    save: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      help: 'Write the evidence, without secrets, to a tar.gz that gives the same answer',
    },
    anonymize: {
      kind: 'flag',
      help: 'Replace names, ids and addresses in the output and in the saved file',
    },
    all: {
      kind: 'flag',
      help: 'Show every candidate and every command that would decide',
    },
    deep: {
      kind: 'flag',
      help: 'Ask each machine that is not usable for its console, user data and logs',
    },
    'node-logs': {
      kind: 'flag',
      help: 'Read logs and journals of machines whose cause the APIs do not show, through their kubelets; needs get nodes/proxy, which also allows running commands in pods',
    },
    ssm: {
      kind: 'flag',
      help: 'Read logs of instances without a Node by a fixed document of Systems Manager, which prints and changes nothing; see: rollcall permissions --for ssm',
    },
    'control-plane-logs': {
      kind: 'flag',
      help: 'Read what the control plane of an EKS cluster wrote to CloudWatch Logs in the last 30 min: authenticator, audit, controller managers',
    },
    record: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      help: 'Judge the evidence in a file of rollcall record, or a postgres:// URL',
    },
    at: {
      kind: 'text',
      value: 'TIME',
      help: 'With --record: as it was at this time, such as 2h or 2026-05-01T10:00:00Z',
    },
    host: { kind: 'flag', help: 'Diagnose the machine on which Rollcall runs' },
    since: {
      kind: 'duration',
      value: 'TIME',
      help: 'Ignore log lines older than this, such as 15m, 2h or 1d',
    },
    wait: {
      kind: 'flag',
      help: 'Look again until the machine is usable or its next cause is known; with --timeout, give up after that time with exit code 2',
    },
    ...LIVE_OPTIONS,
  },
  examples: [
    { title: 'The whole cluster', command: 'rollcall diagnose' },
    {
      title: 'One machine, and keep the evidence for a colleague',
      command: 'rollcall diagnose i-0abc1234def567890 --save evidence.tar.gz',
    },
    {
      title: 'After a fix, until the Node is usable',
      command: 'rollcall diagnose ip-10-0-1-2.eu-west-1.compute.internal --wait --timeout 10m',
    },
    { title: 'On the machine itself', command: 'sudo rollcall diagnose --host' },
    {
      title: 'An archive of the EKS log collector',
      command: 'rollcall diagnose eks_i-0abc_2024-05-01_1200-UTC_0.7.6.tar.gz',
    },
    {
      title: 'Last night, as a bundle for a colleague',
      command: 'rollcall diagnose --record flight.db --at 2026-05-01T03:00:00Z --save night.tar.gz',
    },
    { title: 'A journal', command: 'journalctl -u kubelet | rollcall diagnose -' },
  ],
  seeAlso: ['status', 'explain', 'name', 'capacity'],
});
