import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { likely, withdraws } from '../../../diagnosis/sign.ts';

/** A Machine of OpenShift or Cluster API whose instance AWS did not give. */
const cause = defineCause({
  id: 'openshift-machine-failed',
  stage: 'launched',
  title: 'the Machine failed, or its instance could not be created',
  scope: 'group',
  signs: {
    failedCreate: likely(
      ['event'],
      /\bFailedCreate\b.*\b(?<machine>machine\/[a-z0-9][\w.-]+).*(?<error>(?:error launching instance|InvalidConfiguration|error creating EC2 instance)\b.{0,200})/,
      { anchors: ['FailedCreate'], strict: true },
    ),
    // A table of events, whose message is the reason alone.
    createFailed: likely(
      ['event', 'client-output'],
      /\bFailedCreate\s{1,20}(?<machine>machine\/[a-z0-9][\w.-]{1,200})\s{1,200}(?<error>\S.{3,200})/,
      { anchors: ['FailedCreate'] },
    ),
    // The table of `oc get machines`; a failed Machine is never tried again.
    failedPhase: likely(
      ['client-output', 'object', 'unknown'],
      /^(?:[a-z0-9-]{1,60} {1,20})?(?<machine>[a-z0-9][\w.-]{1,200}) {2,40}(?<error>Failed) {2,40}(?:[a-z][\w-]{1,12}\.[\w-]{1,20} {2,40}[a-z]{2}-[a-z-]{3,20}-\d|[\dhdms]{2,12}$)/,
      { anchors: ['Failed  '] },
    ),
    instanceLost: likely(
      ['client-output', 'object', 'event', 'unknown'],
      /(?<error>Can't find created instance)\b/,
    ),
    provisionFailed: likely(
      ['object'],
      /AWSMachine (?<object>\S+) condition \w+=False InstanceProvisionFailed (?<error>.{5,300})/,
    ),
    created: withdraws(['event'], /\bCreate\b.*\bmachine\/\S+\s+Created Machine/, { strict: true }),
  },
  needs: ['kube/Machine'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['node-creation-failure-verdict'],
  summary: ({ object, machine, error }) =>
    sentence`The Machine ${object ?? machine?.replace('machine/', '')} got no instance: ${error ?? 'its phase is Failed'}.`,
  remedy: ({ object, machine }) => [
    step(
      'Read the provider’s answer in full.',
      `oc -n openshift-machine-api get machine ${object ?? machine?.replace('machine/', '') ?? '<machine>'} -o jsonpath='{.status.phase}{"\\n"}{.status.errorReason}{" "}{.status.errorMessage}{"\\n"}'`,
    ),
    step(
      'Correct image, subnet, profile or groups in the MachineSet’s providerSpec, then delete the failed Machine; a failed one is never retried.',
      `oc -n openshift-machine-api delete machine ${object ?? machine?.replace('machine/', '') ?? '<machine>'}`,
    ),
  ],
  decide: step(
    'Read phase and error of the Machines.',
    'oc -n openshift-machine-api get machines -o yaml',
  ),
  page: {
    why: 'The machine controller asks EC2 once with the MachineSet’s providerSpec. What EC2 refuses is written into the Machine; a Machine in phase Failed is final.',
    prevent:
      'Let a MachineHealthCheck replace failed Machines, and test a changed providerSpec with one replica.',
    notThis:
      'A cause that the error names (capacity, quota, image, permission) is named instead of this. Phase Provisioned without a node is a join problem: ignition-cannot-fetch-config or csr-refused-by-machine-approver.',
    refs: [
      'https://github.com/openshift/machine-api-operator/pull/721',
      'https://docs.openshift.com/container-platform/latest/machine_management/index.html',
    ],
  },
});

export default matched(cause, matchMachine);

type Own = ViewOf<typeof cause>;

function matchMachine(view: Own): Match | null {
  for (const entry of view.list('kube/Machine')) {
    const { name } = entry.value;
    const error =
      entry.value.status?.errorMessage ??
      entry.value.status?.failureMessage ??
      entry.value.status?.errorReason ??
      null;
    if (entry.value.status?.phase !== 'Failed' || error === null) continue;
    return found(
      { object: name, error: error.slice(0, 300) },
      [view.quote(entry, `Machine ${name} Failed: ${error}`)],
      'likely',
    );
  }
  const phases = view.list('kube/Machine').map(({ value }) => value.status?.phase ?? null);
  const areMade = phases.every((phase) => phase === 'Provisioned' || phase === 'Running');
  return phases.length > 0 && areMade
    ? clearUnlessSeen(view, ['failedCreate', 'provisionFailed'])
    : null;
}
