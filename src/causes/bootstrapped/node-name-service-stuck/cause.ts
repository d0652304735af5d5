import { defineCause, step } from '../../../diagnosis/cause.ts';
import { likely, withdraws } from '../../../diagnosis/sign.ts';

/** An OpenShift kubelet waits for the unit that asks metadata for the node's name. */
export default defineCause({
  id: 'node-name-service-stuck',
  stage: 'bootstrapped',
  title: 'the unit that asks metadata for the node’s name gets no answer',
  scope: 'machine',
  signs: {
    noAnswer: likely(
      ['journal', 'console', 'kubelet'],
      /Can not obtain hostname from the metadata service/,
      { atLeast: 3, enoughOnce: 'alone' },
    ),
    unitFailed: likely(
      ['journal', 'console', 'kubelet'],
      /aws-kubelet-nodename\.service: (?:Failed with result|[Ss]tart operation timed out|Main process exited)/,
    ),
    unitDone: withdraws(
      ['journal', 'console', 'kubelet'],
      /aws-kubelet-nodename\.service: Deactivated successfully|Finished .*Fetch kubelet node name from AWS Metadata/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine }) =>
    `The unit aws-kubelet-nodename of ${machine ?? 'the machine'} gets no host name from instance metadata, and the kubelet waits for it forever.`,
  remedy: () => [
    step(
      'Enable the metadata endpoint of the instance.',
      'aws ec2 modify-instance-metadata-options --instance-id <instance> --http-endpoint enabled',
    ),
    step(
      'Set it in the MachineSet for new machines.',
      'oc -n openshift-machine-api get machinesets -o yaml | grep -n -A3 metadataServiceOptions',
    ),
  ],
  decide: step(
    'Read the unit’s journal and the instance’s metadata options.',
    'journalctl -u aws-kubelet-nodename --no-pager | tail -n 5; aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].MetadataOptions',
  ),
  page: {
    why: 'On AWS an OpenShift kubelet takes its name from instance metadata. A small unit asks for it every five seconds and the kubelet is ordered after it; with metadata disabled or blocked neither ever ends.',
    prevent: 'Keep the metadata endpoint enabled in the provider spec of machines.',
    notThis:
      'A machine that never leaves the initramfs is ignition-cannot-fetch-config. Other distributions whose host gets no metadata are imds-unreachable-on-host.',
    refs: ['https://github.com/openshift/machine-config-operator/tree/HEAD/templates/common/aws'],
  },
});
