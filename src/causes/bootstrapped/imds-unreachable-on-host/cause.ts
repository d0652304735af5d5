import { clear, defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** Nothing on the machine itself gets an answer from 169.254.169.254. */
const cause = defineCause({
  id: 'imds-unreachable-on-host',
  stage: 'bootstrapped',
  title: 'instance metadata is disabled or blocked on the host',
  scope: 'machine',
  signs: {
    nodeadmNoAnswer: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /operation error ec2imds: (?<call>\w+),(?!.*StatusCode: 404).*(?:i\/o timeout|deadline exceeded|connection refused|no route to host|StatusCode: (?:403|0\b))/,
      { strict: true },
    ),
    nodeadmNoAnswerAlone: likely(
      ['nodeadm', 'cloud-init', 'console'],
      /Command failed.{0,60}operation error ec2imds: (?<call>\w+), request canceled, context deadline exceeded/,
    ),
    plutoNoAnswer: likely(['bottlerocket', 'console'], /IMDS request failed: (?!No ')/, {
      strict: true,
    }),
    cloudInitGaveUp: definite(
      ['cloud-init', 'console'],
      /Giving up on (?:md from|waiting for the metadata from) .{0,20}169\.254\.169\.254|IMDS's HTTP endpoint is probably disabled/,
    ),
    answered: withdraws(
      ['cloud-init', 'console'],
      /Read from http:\/\/169\.254\.169\.254\S* \(200,|finished at .{0,60}Datasource DataSourceEc2\b/,
    ),
    hostRule: definite(
      ['host-file'],
      /-A OUTPUT (?!.*--(?:uid|gid)-owner).*-d 169\.254\.169\.254(?:\/32)?\b.*-j (?<action>DROP|REJECT)/,
      { anchors: ['-A OUTPUT'] },
    ),
    commandEnded: context(
      ['nodeadm', 'cloud-init'],
      /Command failed.{0,200}operation error ec2imds: \w{1,40}, .{0,80}(?:canceled|deadline exceeded)/,
    ),
    // The kernel knows no way even to its own link: the machine has no address (no-dhcp-address).
    noNetwork: context(
      ['cloud-init', 'console', 'nodeadm'],
      /169\.254\.169\.254.{0,400}\b[Nn]etwork is unreachable\b/,
      { anchors: ['169.254.169.254'], isBackground: true },
    ),
    endpointOff: context(
      ['client-output', 'unknown', 'aws-message'],
      /"HttpEndpoint": ?"(?<endpoint>disabled)"/,
    ),
  },
  needs: ['aws/instance', 'kube/Node'],
  symptoms: ['no-answer-from-metadata'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['bottlerocket-setting-generator-failed', 'node-name-service-stuck'],
  summary: ({ machine, endpoint, action }) =>
    endpoint === 'disabled'
      ? `The metadata endpoint of ${machine ?? 'the instance'} is disabled, so neither credentials nor the instance’s name reach its programs.`
      : sentence`${machine ?? 'The machine'} gets no answer from instance metadata at 169.254.169.254${phrase` (a host firewall rule says ${action})`}, so neither credentials nor its name reach its programs.`,
  remedy: ({ action }) => [
    action === undefined
      ? step(
          'Enable the endpoint, with a hop limit that pods can use too; set the same in the launch template.',
          'aws ec2 modify-instance-metadata-options --instance-id <instance> --http-endpoint enabled --http-tokens required --http-put-response-hop-limit 2',
        )
      : step(
          'Remove the rule from the image’s firewall and keep metadata open for the host.',
          'sudo iptables -S OUTPUT | grep 169.254.169.254',
        ),
    step(
      'Look at rules and routes of the host when the endpoint is enabled.',
      'sudo iptables-save | grep 169.254; ip route get 169.254.169.254',
    ),
  ],
  decide: step(
    'Read the metadata options of the instance.',
    'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].MetadataOptions',
  ),
  page: {
    why: 'Every boot program of a node asks instance metadata first: for user data, region, instance id and credentials. An account default or a launch template that disables the endpoint, or a hardening script that drops the address, stops them all.',
    prevent:
      'Set MetadataOptions in the launch template; let firewall scripts drop the address only in FORWARD, never in OUTPUT.',
    notThis:
      'Here the host itself gets no answer. A machine without any address (network is unreachable) is no-dhcp-address. A hop limit of 1 only affects pods (imds-hop-limit-too-low). A 404 is an answer: late-instance-credentials or no-aws-credentials.',
    alsoKnownAs: [
      'operation error ec2imds: GetInstanceIdentityDocument, context deadline exceeded',
    ],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/aws/imds/imds.go',
      'https://github.com/bottlerocket-os/bottlerocket-core-kit/blob/HEAD/sources/api/pluto/src/main.rs',
    ],
  },
});

export default matched(cause, (view) => {
  const instance = view.read('aws/instance');
  const isReady = view.list('kube/Node').some(({ value }) => value.ready === true);
  const off = view.sign('endpointOff');
  if (instance.state !== 'seen' && off !== null && !isReady)
    return found(off.last.captures, [off.last], 'likely');
  if (instance.state !== 'seen') return view.sign('noNetwork') === null ? null : clear;
  const endpoint = instance.value.MetadataOptions?.HttpEndpoint ?? null;
  if (endpoint === 'disabled' && !isReady) {
    return found({ endpoint }, [view.quote(instance, 'MetadataOptions.HttpEndpoint = disabled')]);
  }
  return view.sign('noNetwork') === null ? null : clear;
});
