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

const NOTHING_HAPPENED: Readonly<Record<string, string>> = {
  'a changelog with marks': `# Changelog
## 1.18.6 (2025-01-22)
- fix(ipamd): log InsufficientFreeAddressesInSubnet only once per subnet (#3101)
- fix(ipamd): treat InsufficientCidrBlocks as retryable (#3107)
- chore(deps): bump aws-sdk-go-v2 (#3110)`,
  'notes as GitHub makes them': `## What's Changed
* Handle InsufficientInstanceCapacity of fleets by @someone in https://github.com/aws/example/pull/812
* Report VcpuLimitExceeded in the event by @other in https://github.com/aws/example/pull/820

**Full Changelog**: https://github.com/aws/example/compare/v0.9.0...v0.9.1`,
  'notes in sections': `**Bug Fixes**
- retry MaxSpotInstanceCountExceeded with on-demand capacity
- no longer give up when swap is on: "running with swap on is not supported"

**Features**
- new metric for InsufficientInstanceCapacity`,
  'one line of each commit': `3fa2b1c fix: treat InsufficientInstanceCapacity as an ICE error (#412)
9be01d2 feat: back off after SpotMaxPriceTooLow (#415)
77aa0c1 chore: bump go to 1.24 (#416)`,
  'configuration of Fluentd': `<match kubelet.**>
  @type rewrite_tag_filter
  <rule>
    key log
    pattern /InsufficientFreeAddressesInSubnet|running with swap on is not supported/
    tag alert.kubelet
  </rule>
</match>`,
  'configuration of Logstash': `filter {
  if [message] =~ "InsufficientInstanceCapacity" {
    mutate { add_tag => ["capacity"] }
  }
}`,
  'configuration of Vector': `[transforms.alerts]
type = "filter"
inputs = ["kubelet"]
condition = 'contains(string!(.message), "running with swap on is not supported")'`,
  'configuration of Promtail': `scrape_configs:
  - job_name: ipamd
    pipeline_stages:
      - match:
          selector: '{app="aws-node"} |~ "InsufficientFreeAddressesInSubnet"'
          action: keep`,
  'a query of Loki': '{unit="kubelet.service"} |= "running with swap on is not supported"',
  'a query of CloudWatch': `fields @timestamp, @message
| filter @message like /InsufficientInstanceCapacity/
| stats count(*) by bin(1h)`,
  'a search for several messages': `#!/bin/sh
for log in /var/log/aws-routed-eni/*.log; do
  grep -nE 'InsufficientFreeAddressesInSubnet|InsufficientCidrBlocks|no EC2 IMDS role found' "$log" | tail -n 3
done`,
  'a filter of metrics': `resource "aws_cloudwatch_log_metric_filter" "capacity" {
  name    = "capacity"
  pattern = "InsufficientInstanceCapacity"
}`,
  'rules of the node problem detector': `{
  "plugin": "kmsg",
  "rules": [
    {"type": "permanent", "reason": "Swap", "pattern": "running with swap on is not supported.*"},
    {
      "type": "temporary",
      "reason": "Capacity",
      "pattern": "InsufficientInstanceCapacity"
    }
  ]
}`,
  'values of a chart': `config:
  filters: |
    [FILTER]
        Name  grep
        Match kube.*
        Regex log InsufficientFreeAddressesInSubnet`,
  'a command that asks for a message':
    'aws logs filter-log-events --log-group-name /eks/prod --filter-pattern "InsufficientInstanceCapacity"',
  'an alarm on a metric':
    'aws cloudwatch put-metric-alarm --alarm-name ice --metric-name InsufficientInstanceCapacity --threshold 1',
  'a monitor of logs': `{
  "title": "capacity",
  "query": "logs(\\"InsufficientInstanceCapacity\\").last(\\"5m\\") > 0"
}`,
  'a search of Splunk':
    'index=eks sourcetype=ipamd "InsufficientFreeAddressesInSubnet" | stats count by host',
  'a test of a shell script': `@test "says that capacity lacks" {
  run ./launch --dry-run
  assert_output --partial "InsufficientInstanceCapacity"
}`,
  'a workflow that expects an event': `name: resilience
on:
  schedule:
    - cron: '0 3 * * *'
jobs:
  swap:
    runs-on: ubuntu-24.04
    steps:
      - name: a kubelet with swap ends
        run: ./expect "running with swap on is not supported, please disable swap"`,
  'a pipeline of GitLab': `stages:
  - chaos
exhaust-subnet:
  stage: chaos
  script:
    - ./fill-subnet.sh sandbox
    - ./expect-log aws-node "InsufficientFreeAddressesInSubnet"`,
  'a quiz': `Onboarding quiz, match each message to its layer:
- "InsufficientInstanceCapacity"
- "running with swap on is not supported"
- "no EC2 IMDS role found"
Write your answers down before you turn the page.`,
  'a glossary': `1. "InsufficientInstanceCapacity" - EC2 has no host free for the type
2. "VcpuLimitExceeded" - the quota of the account is used up
3. "InsufficientFreeAddressesInSubnet" - a subnet has no address left`,
  'a question what may come':
    'We plan 400 nodes of p5.48xlarge in one zone. Would we hit InsufficientInstanceCapacity, or does a reservation help?',
  'a question how to be told':
    'How can I alert on InsufficientFreeAddressesInSubnet before users notice? Everything is green so far.',
  'metrics in which nothing failed': `# HELP awscni_aws_api_error_count The number of times AWS API returns an error
# TYPE awscni_aws_api_error_count counter
awscni_aws_api_error_count{api="CreateNetworkInterface",error="InsufficientFreeAddressesInSubnet"} 0
awscni_ipamd_error_count{fn="eniMaxReached"} 0`,
  'a metric that somebody picked out':
    'karpenter_cloudprovider_errors_total{controller="nodeclaim.lifecycle",error="InsufficientInstanceCapacity",method="Create",provider="aws"} 0',
  'a status page': `Resolved - This incident has been resolved. Launches of instances are operating normally.
Nov 12, 09:40 UTC
Monitoring - Fewer launches fail with InsufficientInstanceCapacity since 09:05 UTC.
Nov 12, 09:10 UTC`,
  'a closed event of AWS': `Amazon Elastic Compute Cloud (us-east-1) - CLOSED
From 1:10 AM to 3:40 AM PDT some launches failed with InsufficientInstanceCapacity. The issue has been resolved and the service is operating normally.`,
  'a closed incident': `INCIDENT 4411 (status: resolved)
What happened: new nodes did not come up, EC2 answered InsufficientInstanceCapacity for c7i.8xlarge.
Now: all nodes Ready, queue empty.
No further action required.`,
};

describe('a text in which nothing happened', () => {
  for (const [what, text] of Object.entries(NOTHING_HAPPENED))
    test(`${what} names nothing`, async () => {
      assert.equal(await namedIn(text), null);
    });
});

const HAPPENED: readonly (readonly [what: string, cause: string, text: string])[] = [
  [
    'a log within bullets',
    'subnet-out-of-pod-addresses',
    `Things we looked at:
- pods hang in ContainerCreating
- quota is fine
- log of ipamd:
  ${IPAMD}`,
  ],
  [
    'a bullet that is the log',
    'swap-enabled',
    `What I see on the machine:
* it never joins
* journalctl -u kubelet ends with ${SWAP}`,
  ],
  [
    'a changelog above a log',
    'subnet-out-of-pod-addresses',
    `We went to this release last week:
## v1.19.3
* [fix] Retry EC2 metadata when it is stale (#3177)
* [fix] ipamd no longer panics (#3190)

Since then aws-node prints
${IPAMD}`,
  ],
  [
    'a list of upgrades above a failing activity',
    'insufficient-instance-capacity',
    `Fixes we tried:
- other launch template
- smaller root volume
${CAPACITY}`,
  ],
  [
    'symptoms below notes',
    'swap-enabled',
    `## What's Changed
* Support Kubernetes 1.31 by @someone in https://github.com/aws/example/pull/812

Our symptoms:
- ${SWAP}`,
  ],
  [
    'a metric above zero beside a log',
    'subnet-out-of-pod-addresses',
    `awscni_aws_api_error_count{api="CreateNetworkInterface",error="InsufficientFreeAddressesInSubnet"} 412
${IPAMD}`,
  ],
  [
    'a metric of another error beside a log',
    'swap-enabled',
    `# TYPE kubelet_runtime_operations_errors_total counter
kubelet_runtime_operations_errors_total{operation_type="pull_image"} 3
${SWAP}`,
  ],
  [
    'what a search for several messages found',
    'subnet-out-of-pod-addresses',
    `$ grep -E 'InsufficientFreeAddresses|InsufficientCidrBlocks' /var/log/aws-routed-eni/ipamd.log
${IPAMD}`,
  ],
  [
    'a workflow and what its step printed',
    'insufficient-instance-capacity',
    `jobs:
  scale:
    runs-on: ubuntu-24.04
    steps:
      - run: ./scale.sh 12
Error: ${CAPACITY}`,
  ],
  [
    'configuration of Fluent Bit and what it let through',
    'swap-enabled',
    `[FILTER]
    Name    grep
    Match   host.kubelet
    Regex   log (swap|PLEG)
${SWAP}`,
  ],
  [
    'what a command that asks for a message found',
    'insufficient-instance-capacity',
    `$ aws logs filter-log-events --log-group-name asg --filter-pattern "Launching"
${CAPACITY}`,
  ],
  [
    'a record with a query in it',
    'ssm-endpoint-missing',
    '{"level":"ERROR","time":"2024-02-29T15:08:58.869Z","logger":"controller.nodeclass","message":"discovering amis from ssm, getting ssm parameter \\"/aws/service/eks/optimized-ami/1.29/amazon-linux-2/recommended/image_id\\", RequestError: send request failed\\ncaused by: Post \\"https://ssm.eu-west-1.amazonaws.com/\\": dial tcp 52.1.2.3:443: i/o timeout","query":"/aws/service/eks/optimized-ami/1.29/amazon-linux-2/recommended/image_id"}',
  ],
  [
    'a question why it comes',
    'insufficient-instance-capacity',
    'Why do I get InsufficientInstanceCapacity for g5.xlarge in us-east-1a since this morning?',
  ],
  [
    'a question how to go on',
    'insufficient-instance-capacity',
    'The node group fails with InsufficientInstanceCapacity. How can we avoid that?',
  ],
  [
    'a post that says what it was',
    'swap-enabled',
    `kubelet ended with: running with swap on is not supported, please disable swap or set --fail-swap-on to false
Solved: it was the swap file of the golden image. Everything is running normally again, no further action needed.`,
  ],
  [
    'a post that says what they had',
    'insufficient-instance-capacity',
    `[RESOLVED] node group stuck with InsufficientInstanceCapacity
We had one zone only in the launch configuration. All nodes are Ready now.`,
  ],
  [
    'a closed incident that is open again',
    'subnet-out-of-pod-addresses',
    `INC-77 status: CLOSED, all nodes Ready on Monday, nothing open.
Reopened today, aws-node prints again
${IPAMD}`,
  ],
  [
    'two messages that somebody quotes from a log',
    'swap-enabled',
    `The log of our kubelet has these:
- "failed to run Kubelet: running with swap on is not supported, please disable swap or set --fail-swap-on to false"
- "Failed with result 'exit-code'."
- "Scheduled restart job, restart counter is at 31."`,
  ],
  [
    'a line with the time of a day among changes',
    'swap-enabled',
    `Bug Fixes
- Mar 04 08:11:12 ip-10-0-1-2 kubelet[812]: ${SWAP}`,
  ],
  [
    'a rule above the alert that it fired',
    'insufficient-instance-capacity',
    `pattern = "ICE"
alarm text: ${CAPACITY}`,
  ],
];

describe('a text that looks like one of them and shows what happened', () => {
  for (const [what, cause, text] of HAPPENED)
    test(`${what} is still named`, async () => {
      assert.equal(await namedIn(text), cause);
    });
});
