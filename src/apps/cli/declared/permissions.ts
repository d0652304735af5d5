import { declareCommand } from '../options/declaration.ts';
import { LIVE_OPTIONS, PAGE_OUTPUT } from './shared.ts';

export const PERMISSIONS_COMMAND = declareCommand({
  name: 'permissions',
  summary: 'Print the permissions Rollcall needs, or check those you have',
  usage: ['permissions [--for FEATURE]… [--rbac|--iam] [options]', 'permissions --check [options]'],
  description: [
    'Prints the smallest ClusterRole, Roles and IAM policy. They are recorded from what Rollcall really asks.',
    'node-logs (diagnose --node-logs) is left out unless it is named: get nodes/proxy also lets its holder run commands in every pod, past audit logging and admission.',
    'ssm (diagnose --ssm) is left out too: it sends a command to machines. --ssm-document prints the document, which holds all that is run; fix-node has one of its own, --restart-document.',
    'control-plane-logs (diagnose --control-plane-logs) is left out as audit logs tell who did what.',
    '--check asks Kubernetes with access reviews and AWS with iam:SimulatePrincipalPolicy, or with the cheapest read call of each permission where that is denied.',
  ],
  words: { most: 0, completes: [] },
  options: {
    ...PAGE_OUTPUT,
    for: {
      kind: 'choice',
      value: 'FEATURE',
      noun: 'feature',
      values: [
        'status',
        'details',
        'capacity',
        'spot',
        'spot-watch',
        'name',
        'watch',
        'controller',
        'eni-janitor',
        'aws-events',
        'watch-events',
        'auth-restore',
        'gate',
        'gate-evict',
        'join-report',
        'spot-rules',
        'fix',
        'fix-node',
        'node-logs',
        'ssm',
        'control-plane-logs',
      ],
      multiple: true,
      help: 'Only for these features; may be repeated or separated by commas; the last three only when named',
    },
    rbac: { kind: 'flag', help: 'Only the Kubernetes roles' },
    iam: { kind: 'flag', help: 'Only the IAM policy' },
    'ssm-document': {
      kind: 'flag',
      help: 'Only the document that diagnose --ssm has Systems Manager run',
    },
    'restart-document': {
      kind: 'flag',
      help: 'Only the document by which fix node restarts a kubelet',
    },
    check: { kind: 'flag', help: 'Check the permissions of the current identity' },
    ...LIVE_OPTIONS,
  },
  exitCodes: {
    0: 'nothing is missing, or --check was not given',
    1: 'a permission is missing',
    2: 'cannot tell',
  },
  examples: [
    {
      title: 'Grant them in Kubernetes',
      command: 'rollcall permissions --rbac | kubectl apply -f -',
    },
    {
      title: 'The IAM policy for two features',
      command: 'rollcall permissions --for status,details --iam > rollcall-policy.json',
    },
    { title: 'What is missing', command: 'rollcall permissions --check' },
  ],
  seeAlso: ['status'],
});
