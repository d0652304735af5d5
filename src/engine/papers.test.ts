import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseTexts } from './diagnose.ts';

/** What is named of a text, null for nothing. */
async function namedIn(text: string): Promise<string | null> {
  const { headline } = await diagnoseTexts([{ name: 'paste.txt', text: `${text}\n` }]);
  return headline?.cause ?? null;
}

const IPAMD =
  '{"level":"error","ts":"2025-03-04T08:11:12.101Z","caller":"ipamd/ipamd.go:943","msg":"Failed to increase pool size: InsufficientFreeAddressesInSubnet: The specified subnet does not have enough free addresses to satisfy the request. subnet-0b4c1a9d77e2f0a63"}';
const CAPACITY =
  'Launching a new EC2 instance. Status Reason: We currently do not have sufficient m6i.large capacity in the Availability Zone you requested (eu-west-1b). (Service: AmazonAutoScaling; Status Code: 400; Error Code: InsufficientInstanceCapacity)';
const SWAP =
  'E0304 08:11:12.101 812 run.go:72] "command failed" err="failed to run Kubelet: running with swap on is not supported, please disable swap or set --fail-swap-on to false"';

const RUNBOOK = `# Runbook: pods without addresses
Owner: platform. Last reviewed: 2025-01-10
1. kubectl describe pod <pod>
2. Compare:
   - \`running with swap on is not supported\` -> RB-12
   - \`InsufficientFreeAddressesInSubnet\` -> step 3
3. Add a subnet to the cluster, then see RB-14.`;
const MANUAL = `FLEETCHECK(1)                 User Commands                 FLEETCHECK(1)

NAME
       fleetcheck - look at machines before they are used

SYNOPSIS
       fleetcheck [--json]

EXIT STATUS
       3      "running with swap on is not supported"

SEE ALSO
       kubelet(8)`;
const GO_TEST = `func TestReason(t *testing.T) {
	cases := map[string]string{
		"ice": "InsufficientInstanceCapacity",
	}
	for name, code := range cases {
		t.Run(name, func(t *testing.T) { assertReason(t, code) })
	}
}`;
const STORY = `As a data engineer
I want queues that fall back to another size
so that jobs start even where InsufficientInstanceCapacity comes.

Acceptance criteria
- two sizes in each pool`;
const REPORT = `Node start SLO, week 12. Objective: 99 % within 3 min
| cluster | started | in time |
|---------|--------:|--------:|
| shop    |   1 204 |  99.4 % |
- 6 InsufficientInstanceCapacity, another zone, joined later
No node is missing. Next review: week 13`;
const EXAM = `Question 3. A kubelet prints "running with swap on is not supported". Which of the following helps?
 a) swapoff -a
 b) kubeadm reset
Question 4. True or false: InsufficientInstanceCapacity is a quota of the account.
Correct answers: a, false`;

const DECISION = `ADR-31 Types of the batch pool
Context: launches met InsufficientInstanceCapacity in other companies.
Decision: six types in each pool.
Status: accepted`;

const OF_NOTHING: Readonly<Record<string, string>> = {
  'a runbook': RUNBOOK,
  'a page of a manual': MANUAL,
  'a test in Go': GO_TEST,
  'a test in Python': `import pytest

def test_launch_error_is_capacity():
    error = ClientError({"Error": {"Code": "InsufficientInstanceCapacity"}}, "RunInstances")
    assert classify(error) is Reason.CAPACITY`,
  'a test in JavaScript': `describe('classify', () => {
  it('knows swap', () => {
    expect(classify('running with swap on is not supported')).toBe('swap');
  });
});`,
  'a user story': STORY,
  'a feature request': `Feature request: fall back by itself
It would be nice if a group took another size on InsufficientInstanceCapacity.
Motivation: fewer alerts. Nice to have, no urgency.`,
  'a report on an objective': REPORT,
  'a report on costs': `FinOps report, March. Prepared for: platform
| item        | cost     | share |
|-------------|---------:|------:|
| on demand   | $ 41,220 | 71 %  |
| spot        | $ 16,830 | 29 %  |
- 31 launches met InsufficientInstanceCapacity and took on-demand (+ $ 212)
Forecast: $ 60,000`,
  'an exam': EXAM,
  'questions of an interview': `1. A node says "running with swap on is not supported". What do you do first?
2. What does InsufficientFreeAddressesInSubnet tell about a VPC?
Good answers name the subnet. Follow-up question: how would the candidate prevent it?`,
  'a newsletter': `Cluster Digest #88
- Blog: "InsufficientFreeAddressesInSubnet explained" - 6 min read
- Tip of the week: kubectl events
Sponsored by: Example Ltd
You receive this newsletter because you signed up. Unsubscribe`,
  'the abstract of a talk': `Abstract
In this talk we look at what lies behind InsufficientFreeAddressesInSubnet and other errors.
Speaker: A. Example
Track: Operations. Attendees will learn how a CNI hands out addresses.`,
  'a dashboard of Grafana': `{"title":"capacity","schemaVersion":39,"panels":[{"type":"stat","title":"InsufficientInstanceCapacity","targets":[{"expr":"sum(x{error=\\"InsufficientInstanceCapacity\\"})"}]}]}`,
  'a dashboard of CloudWatch': `{"widgets":[{"type":"log","properties":{"title":"swap","query":"fields @message | filter @message like 'running with swap on is not supported'"}}]}`,
  'a monitor of Datadog': `{"id":1,"name":"capacity","type":"query alert","query":"sum(last_5m):sum:x{*} > 0",
"message":"Launches fail.\\nOften: InsufficientInstanceCapacity, VcpuLimitExceeded.\\n@slack-x"}`,
  'a monitor in Terraform': `resource "datadog_monitor" "capacity" {
  name    = "capacity"
  message = "Launches fail with InsufficientInstanceCapacity."
}`,
  'a dashboard in a ConfigMap': `apiVersion: v1
kind: ConfigMap
metadata:
  name: capacity
  labels:
    grafana_dashboard: "1"
data:
  capacity.json: |
    {"panels":[{"title":"InsufficientInstanceCapacity"}]}`,
  'rules of Prometheus as its API gives them':
    '{"status":"success","data":{"groups":[{"name":"ec2","rules":[{"state":"inactive","name":"Capacity","query":"x > 0","annotations":{"description":"InsufficientInstanceCapacity"},"alerts":[],"type":"alerting"}]}]}}',
  'an alarm that is not raised':
    '{"MetricAlarms":[{"AlarmName":"ice","AlarmDescription":"InsufficientInstanceCapacity","StateValue":"OK","MetricName":"ice"}]}',
  'a test in Java': `@Test
void capacityIsRetried() {
    assertEquals(RETRY, next(error("InsufficientInstanceCapacity")));
}`,
  'a test in Rust': `#[test]
fn knows_swap() {
    assert_eq!(kind("running with swap on is not supported"), Kind::Swap);
}`,
  'a test with a table': `@pytest.mark.parametrize("code", [
    "InsufficientInstanceCapacity",
    "VcpuLimitExceeded",
])
def test_is_known(code):
    assert is_known(code)`,
  'a manual in Markdown': `# hostcheck(8)
## NAME
hostcheck - verify a host
## SYNOPSIS
hostcheck [-q]
## DIAGNOSTICS
"running with swap on is not supported": swap is on`,
  'flash cards': `Front: InsufficientInstanceCapacity
Back: EC2 lacks hosts of the type in the zone`,
  'a standard operating procedure': `SOP-44 Errors of capacity
When to use: a launch fails in one zone
1. InsufficientInstanceCapacity: give <group> another type
2. VcpuLimitExceeded: go to SOP-45`,
  'tasks of an exam': `CKA mock exam
Task 5 (7 points): the kubelet ends with "running with swap on is not supported". Repair it.
Passing score 66 %`,
  'an experiment of fault injection': `AWS FIS experiment EXP-17, template ec2-api-insufficient-instance-capacity-error, 10 min
2026-02-11T09:02:11Z 14 launches failed: InsufficientInstanceCapacity: We currently do not have sufficient m6i.large capacity in the Availability Zone you requested
2026-02-11T09:12:40Z first launch after the end
Steady state after it: reached. Result: passed`,
  'a drill that went as planned': `Drill 4: swap on one worker
10:00 swapon /swapfile
10:01 kubelet: failed to run Kubelet: running with swap on is not supported, please disable swap
10:09 swapoff -a, Ready at 10:10
Hypothesis confirmed, nothing left over.`,
  'a negative test that passed': `suite "negative", case 12: kubelet must fail with swap
  running with swap on is not supported, please disable swap
[PASSED] 41.2 s`,
  'a record of a decision': DECISION,
  'a question of an interview': `Interview question, level 3.
A machine prints "running with swap on is not supported". Name three reasons why it may still join.
Expected: flags, configuration, version. Bonus: cgroups.`,
  'the changelog of a repository': `Changelog of our infra repository
- 2025-10-02: nodes ended with "running with swap on is not supported"; the image has no swap any more
- 2025-09-24: newer AMI`,
  'release notes of a tool': `Release notes fleetkit 2.4.0
* Refuses to start where "running with swap on is not supported" would follow.
* Knows Kubernetes 1.34.`,
  'an account of somebody else': `The screenshot (InsufficientInstanceCapacity in eu-west-1b) is from the sandbox account; what I ask about is the second group, which has no fault. How do I give it Graviton?`,
  'a chat about an exercise': `[{"type":"message","user":"U1","text":"game day starts: swap goes on","ts":"1741766402.118"},
{"type":"message","user":"U2","text":"[RESOLVED] kubelet down: running with swap on is not supported","ts":"1741766502.118"},
{"type":"message","user":"U1","text":"exercise is over","ts":"1741766602.118"}]`,
};

describe('a paper about failures in general', () => {
  for (const [what, text] of Object.entries(OF_NOTHING))
    test(`${what} names nothing`, async () => {
      assert.equal(await namedIn(text), null);
    });
});

const OF_A_MACHINE: readonly (readonly [what: string, cause: string, text: string])[] = [
  ['a runbook above a log', 'subnet-out-of-pod-addresses', `${RUNBOOK}\n\n${IPAMD}`],
  [
    'a drill after which a node stayed away',
    'swap-enabled',
    `Game day, swap on one worker, to see that the alert fires
10:01 kubelet: failed to run Kubelet: running with swap on is not supported, please disable swap
11:20 the worker never came back`,
  ],
  ['a record of a decision above a log', 'swap-enabled', `${DECISION}\n\n${SWAP}`],
  [
    'a runbook and what somebody has',
    'insufficient-instance-capacity',
    `${RUNBOOK}\n\nWe followed it, and our node group says:\n${CAPACITY}`,
  ],
  [
    'steps that somebody took',
    'swap-enabled',
    `1. I stopped the kubelet
2. go to step 4 of the guide
3. on <node> it prints: ${SWAP}`,
  ],
  ['a log above a page of a manual', 'swap-enabled', `${SWAP}\n\n${MANUAL}`],
  [
    'a page of a manual above what a machine prints',
    'swap-enabled',
    `${MANUAL}\n\nkubelet: failed to run Kubelet: running with swap on is not supported, please disable swap`,
  ],
  [
    'an alert with the address of its runbook',
    'swap-enabled',
    `Severity: critical
Runbook: https://wiki.example/rb-12
Summary: failed to run Kubelet: running with swap on is not supported, please disable swap
1. see RB-12`,
  ],
  [
    'a ticket that goes by a runbook',
    'swap-enabled',
    `RB-12 for the batch pool
Severity: 2
Impact: three nodes not Ready
1. drained them, done
2. kubelet: failed to run Kubelet: running with swap on is not supported, please disable swap
3. see RB-13`,
  ],
  [
    'a message without a time above a runbook',
    'swap-enabled',
    `kubelet: failed to run Kubelet: running with swap on is not supported, please disable swap\n\n${RUNBOOK}`,
  ],
  [
    'a message in a field of a ticket below a runbook',
    'swap-enabled',
    `${RUNBOOK}\nActual: failed to run Kubelet: running with swap on is not supported, please disable swap`,
  ],
  [
    'an activity that makes costs',
    'insufficient-instance-capacity',
    `Our spend in May is $ 20,000 (40 %) above the forecast, the spot group falls back: ${CAPACITY}`,
  ],
  [
    'a test and what it printed on a machine',
    'subnet-out-of-pod-addresses',
    `${GO_TEST}\n--- FAIL: TestNodesJoin (600.01s)\n    join_test.go:44: ${IPAMD}`,
  ],
  [
    'the output of a failing test of nodes',
    'swap-enabled',
    `=== RUN   TestNodesJoin\n    join_test.go:31: node is not Ready\n${SWAP}\n--- FAIL: TestNodesJoin (600.01s)`,
  ],
  [
    'a story of somebody who was hit',
    'insufficient-instance-capacity',
    `${STORY}\n\nComment: it happened. Our node group got this:\n${CAPACITY}`,
  ],
  [
    'a report in which nodes are missing',
    'insufficient-instance-capacity',
    `SLO of node starts: 97 %, target: 99 %
- 40 InsufficientInstanceCapacity, never joined
Action items: other sizes`,
  ],
  ['a report above a log', 'swap-enabled', `${REPORT}\n\nToday on shop:\n${SWAP}`],
  ['an exam above a log', 'swap-enabled', `${EXAM}\n\n${SWAP}`],
  [
    'numbered questions about what somebody has',
    'insufficient-instance-capacity',
    `1. Why does our node group get InsufficientInstanceCapacity since noon?
2. Which of the following helps: another zone or another size?
I study for the CKA, so please explain.`,
  ],
  [
    'a notification that one can unsubscribe from',
    'insufficient-instance-capacity',
    `Subject: Auto Scaling: failed launch for group "blue"
Description: ${CAPACITY}
If you wish to stop receiving notifications from this topic, please click or visit the link below to unsubscribe:
https://sns.example/unsubscribe.html`,
  ],
  [
    'a mail of a list',
    'swap-enabled',
    `Hi, kubelet ends with: failed to run Kubelet: running with swap on is not supported, please disable swap
--
You received this message because you are subscribed to the group "kubernetes-users".
To unsubscribe from this group, send an email. View this discussion on the web.`,
  ],
  [
    'a chat in which somebody shows a log',
    'subnet-out-of-pod-addresses',
    JSON.stringify([
      { type: 'message', user: 'U1', text: 'pods hang, aws-node has this', ts: '1741766402.118' },
      { type: 'message', user: 'U1', text: IPAMD, ts: '1741766403.118' },
    ]),
  ],
  [
    'an export of Discord',
    'swap-enabled',
    JSON.stringify({
      messages: [
        {
          id: '1',
          type: 'Default',
          timestamp: '2025-03-04T09:00:00+00:00',
          content: `our node prints\n${SWAP}`,
          author: { name: 'a' },
        },
      ],
    }),
  ],
  [
    'a record of a log with a title and a query',
    'insufficient-instance-capacity',
    '{"level":"ERROR","time":"2025-03-04T08:11:12Z","title":"launch","query":"x","message":"creating instance, InsufficientInstanceCapacity: We currently do not have sufficient m6i.large capacity in the Availability Zone you requested (eu-west-1b)"}',
  ],
  [
    'a dashboard above a log',
    'swap-enabled',
    `${OF_NOTHING['a dashboard of Grafana'] ?? ''}\n${SWAP}`,
  ],
];

describe('a text that looks like a paper and shows a machine', () => {
  for (const [what, cause, text] of OF_A_MACHINE)
    test(`${what} is still named`, async () => {
      assert.equal(await namedIn(text), cause);
    });
});
