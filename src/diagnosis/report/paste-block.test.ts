import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiagnosisDocument, Finding, SubjectReport } from '../document.ts';
import { decidingCommands, pasteBlock } from './paste-block.ts';
import { piped, sequence } from './shell-words.ts';

function candidate(cause: string, command: string): Finding {
  return {
    cause,
    stage: 'authenticated',
    role: 'root',
    explainedBy: null,
    confidence: 'possible',
    summary: '',
    evidence: [],
    remedy: [],
    decide: { text: '', command },
  };
}

function subject(rest: Partial<SubjectReport>): SubjectReport {
  return {
    kind: 'Machine',
    name: 'machine',
    instanceId: null,
    node: null,
    verdict: 'not-usable',
    stage: 'authenticated',
    ladder: [],
    findings: [],
    notObservable: [],
    timeline: [],
    ...rest,
  };
}

function documentOf(...subjects: readonly SubjectReport[]): DiagnosisDocument {
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: '0',
    headline: null,
    subjects,
    recognized: [],
    losses: [],
  };
}

/** The block for the given decide commands, each of a cause of its own. */
function blockFor(
  commands: readonly string[],
  rest: Partial<SubjectReport> = {},
): readonly string[] {
  const findings = commands.map((command, index) => candidate(`cause-${index}`, command));
  return pasteBlock(documentOf(subject({ ...rest, findings })));
}

test('a headline and a usable machine need no block', () => {
  const headline = { cause: 'a', stage: 'launched', confidence: 'likely', subject: 'm' } as const;
  assert.deepEqual(pasteBlock({ ...documentOf(subject({})), headline }), []);
  assert.deepEqual(pasteBlock(documentOf(subject({ verdict: 'usable' }))), []);
});

test('the command that separates most candidates comes first, once', () => {
  const block = blockFor(['date -u', 'aws eks list-clusters; date -u', 'kubectl get csr']);
  assert.deepEqual(block, [
    '# on the machine',
    'date -u',
    '# with kubectl',
    'kubectl get csr',
    '# with the AWS CLI',
    'aws eks list-clusters',
  ]);
  assert.equal(blockFor(['aws sts get-caller-identity'])[0], '# on the machine');
});

test('turns excerpts into whole answers that Rollcall recognizes when piped back', () => {
  const whole = [
    ['kubectl get node <node> -o jsonpath={.spec.taints}', 'kubectl get node <node> -o json'],
    [
      'kubectl get nodes -o custom-columns=\'A:.b[?(@.c=="d")].e\' | sort -k2',
      'kubectl get nodes -o json',
    ],
    [
      'kubectl -n kube-system get configmap aws-auth -o yaml | grep rolearn',
      'kubectl -n kube-system get configmap aws-auth -o yaml',
    ],
    [
      'aws eks describe-cluster --name c --query cluster.endpoint --output text',
      'aws eks describe-cluster --name c',
    ],
    [
      "aws ec2 describe-vpc-endpoints --query 'VpcEndpoints[].[State, Id]'",
      'aws ec2 describe-vpc-endpoints',
    ],
  ];
  for (const [given = '', expected] of whole) assert.equal(blockFor([given])[1], expected);
});

test('what a decoder or a substitution needs stays an excerpt', () => {
  for (const command of [
    'aws ec2 describe-instance-attribute --instance-id i-1 --query UserData.Value --output text | base64 -d',
    'aws iam get-role --role-name "$(aws eks describe-cluster --query cluster.roleArn --output text)"',
    'aws ec2 get-console-output --latest --output text --instance-id i-1',
    "sudo grep -A14 'exec:' /var/lib/kubelet/kubeconfig",
  ]) {
    assert.equal(blockFor([command])[1], command);
  }
});

test('a command for each candidate comes before a second one for any', () => {
  const both = Array.from(
    { length: 8 },
    (_, index) => `kubectl get a${index}; kubectl get b${index}`,
  );
  const commands = blockFor([...both, ...Array.from({ length: 4 }, (_, n) => `kubectl get c${n}`)]);
  for (const name of ['a0', 'a7', 'c0', 'c3']) assert.ok(commands.includes(`kubectl get ${name}`));
});

test('selections of events and lengths of logs become one', () => {
  const events = [
    'kubectl -n kube-system get events --field-selector reason=Failed',
    'kubectl get events -A | grep x',
  ];
  assert.deepEqual(blockFor(events).slice(1), ['kubectl get events -A --sort-by=.lastTimestamp']);
  const logs = [
    'kubectl -n a logs -l app=b --prefix --tail=50',
    'kubectl -n a logs -l app=b --prefix --tail=200',
  ];
  assert.deepEqual(blockFor(logs).slice(1), ['kubectl -n a logs -l app=b --prefix --tail=200']);
});

test('searches of one log become one search', () => {
  const block = blockFor([
    "sudo grep -E 'no such|not found' /var/log/a.log | tail -n 5",
    'sudo grep -cE "Limit|not found" /var/log/a.log',
    'journalctl -u kubelet --no-pager | grep -E "lease" | tail -n 5; hostname -f',
  ]);
  assert.deepEqual(block, [
    '# on the machine',
    "sudo grep -iE 'no such|not found|Limit' /var/log/a.log | tail -n 50",
    "journalctl -u kubelet --no-pager | grep -iE 'lease' | tail -n 50",
    'hostname -f',
  ]);
});

test('names that the evidence tells are filled in', () => {
  const command = 'aws ec2 describe-instances --instance-ids <instance>';
  const region = 'aws eks list-clusters --region <region>';
  const byAddress = blockFor([command, region], { node: 'ip-10-0-3-4.eu-west-1.compute.internal' });
  assert.deepEqual(byAddress.slice(1), [
    'aws ec2 describe-instances --filters Name=private-ip-address,Values=10.0.3.4',
    'aws eks list-clusters --region eu-west-1',
  ]);
  const second = blockFor([`aws eks list-clusters; ${command}`], {
    node: 'ip-10-0-3-4.ec2.internal',
  });
  assert.match(second.at(-1) ?? '', /Values=10\.0\.3\.4$/);
  const byName = blockFor([command], { node: 'i-0123456789abcdef0.ec2.internal' });
  assert.match(byName[1] ?? '', /--instance-ids i-0123456789abcdef0$/);
});

test('names that only a line of the evidence tells are filled in', () => {
  const excerpt =
    'Post "https://0A1B.gr7.eu-west-1.eks.amazonaws.com/api/v1/nodes": dial tcp: i/o timeout';
  const line = { source: 'kubelet', locator: 'a:1', excerpt, time: null };
  const command =
    'curl -sk https://<endpoint-name>/healthz; aws eks list-clusters --region <region>';
  const findings = [{ ...candidate('a', command), evidence: [line] }];
  assert.deepEqual(pasteBlock(documentOf(subject({ findings }))), [
    '# on the machine',
    'curl -sk https://0A1B.gr7.eu-west-1.eks.amazonaws.com/healthz',
    '# with the AWS CLI',
    'aws eks list-clusters --region eu-west-1',
  ]);
});

test('candidates of the whole cluster get the names of its only machine', () => {
  const cluster = subject({
    kind: 'Cluster',
    findings: [candidate('a', 'kubectl describe node <node>')],
  });
  const block = pasteBlock(documentOf(cluster, subject({ node: 'worker-1' })));
  assert.equal(block[1], 'kubectl describe node worker-1');
  const two = documentOf(cluster, subject({ node: 'worker-1' }), subject({ node: 'worker-2' }));
  assert.deepEqual(pasteBlock(two), [
    '# with kubectl, with your <node>',
    'kubectl describe node <node>',
  ]);
});

test('what all machines agree in is known of the cluster', () => {
  const region = candidate('a', 'curl -s https://ec2.<region>.amazonaws.com');
  const cluster = subject({ kind: 'Cluster', name: 'cluster', findings: [region] });
  const named = (...nodes: readonly string[]): string =>
    pasteBlock(documentOf(cluster, ...nodes.map((node) => subject({ node })))).at(-1) ?? '';
  const west = 'us-west-2.compute.internal';
  assert.match(named(`ip-10-0-0-1.${west}`, `ip-10-0-0-2.${west}`), /ec2\.us-west-2\./);
  assert.match(named(`ip-10-0-0-1.${west}`, 'ip-10-0-0-2.ec2.internal'), /ec2\.<region>\./);
});

/** 1 + 1/2 + … + 1/16: the likeliest candidate counts most. */
const HARMONIC_16 = 3.380_728_993_228_993;

test('no more than twelve commands, those that tell most of the likeliest candidates', () => {
  const many = Array.from({ length: 16 }, (_, index) => `kubectl get kind${index}; date -u`);
  const findings = many.map((command, index) => candidate(`cause-${index}`, command));
  const commands = decidingCommands(documentOf(subject({ findings })));
  assert.equal(commands.length, 12);
  const worth = commands[0]?.worth ?? 0;
  assert.deepEqual(commands[0], { where: 'on the machine', command: 'date -u', worth });
  assert.ok(Math.abs(worth - HARMONIC_16) < 1e-9);
});

test('without candidates, what shows the lowest unseen stages; without a machine, a first look', () => {
  const unseen = { stage: 'registered', why: '', collect: 'kubectl get nodes -o wide' } as const;
  assert.deepEqual(pasteBlock(documentOf(subject({ notObservable: [unseen] }))), [
    '# with kubectl',
    'kubectl get nodes -o wide',
  ]);
  assert.match(pasteBlock(documentOf()).join('\n'), /journalctl -u kubelet[^]*kubectl get nodes/);
});

test('a line is cut where the shell cuts it', () => {
  const line = `awk '{a; b}' | sort; for s in a b; do curl "$s;"; done; T=$(date; id); echo $T; df -h`;
  assert.deepEqual(sequence(line), [
    "awk '{a; b}' | sort",
    'for s in a b; do curl "$s;"; done',
    'T=$(date; id); echo $T',
    'df -h',
  ]);
  assert.deepEqual(piped('a "x|y" | b $(c | d) | e'), ['a "x|y"', 'b $(c | d)', 'e']);
});

test('what several machines lack is asked once, of all of them', () => {
  const lacking = (name: string): SubjectReport =>
    subject({
      name,
      node: name,
      verdict: 'cannot-tell',
      notObservable: [
        { stage: 'registered', why: 'x', collect: 'kubectl get node <node> -o yaml' },
        {
          stage: 'launched',
          why: 'x',
          collect: 'aws ec2 describe-instances --instance-ids <instance>',
        },
      ],
    });
  assert.deepEqual(pasteBlock(documentOf(lacking('node-a'), lacking('node-b'))), [
    '# with kubectl',
    'kubectl get nodes -o yaml',
    '# with the AWS CLI',
    'aws ec2 describe-instances',
  ]);
  assert.ok(pasteBlock(documentOf(lacking('node-a'))).includes('kubectl get node node-a -o yaml'));
});

test('a named cause that others bring about ends with the read that says why', () => {
  const named = { ...candidate('a', 'journalctl -u kubelet'), confidence: 'definite' } as const;
  const document = documentOf(subject({ findings: [named] }));
  const commands = decidingCommands(document).map(({ command }) => command);
  assert.deepEqual(commands, ['journalctl -u kubelet']);
});

test('one answer in several forms is asked for once, in the form that says most', () => {
  const block = blockFor([
    'kubectl get node a -o wide',
    'kubectl get node a -o yaml',
    'kubectl get node a -o json',
    'kubectl get node a',
  ]);
  assert.deepEqual(block.slice(1), ['kubectl get node a -o yaml']);
});

test('what is asked of all machines is not asked of one beside it', () => {
  const block = blockFor(['kubectl get node a -o json', 'kubectl get nodes -o json']);
  assert.deepEqual(block.slice(1), ['kubectl get nodes -o json']);
  const tables = blockFor(['kubectl get node a -o json', 'kubectl get nodes']);
  assert.deepEqual(tables.slice(1), ['kubectl get node a -o json', 'kubectl get nodes']);
});

test('what the evidence holds already is not asked for again', () => {
  const findings = [
    candidate('a', 'kubectl get node <node> -o yaml; kubectl get csr'),
    candidate(
      'b',
      'kubectl get nodes -o wide; aws ec2 describe-instances --instance-ids <instance>',
    ),
  ];
  const machine = subject({ node: 'n', instanceId: 'i-0', findings });
  const answered = [
    'kubectl get node n -o json',
    'kubectl get nodes -o json',
    'aws ec2 describe-instances --instance-ids i-0',
  ];
  assert.equal(pasteBlock(documentOf(machine)).length, 6);
  assert.deepEqual(pasteBlock({ ...documentOf(machine), answered }).slice(1), ['kubectl get csr']);
});
