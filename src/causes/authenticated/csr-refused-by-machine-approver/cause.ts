import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';

/** OpenShift’s machine-approver looks at the request and finds no machine that may send it. */
export default defineCause({
  id: 'csr-refused-by-machine-approver',
  stage: 'authenticated',
  title: 'OpenShift’s machine-approver refuses the certificate request',
  scope: 'cluster',
  signs: {
    // A new Machine has no address in its first seconds; the approver tries again, and approves.
    noMachine: likely(
      ['machine-approver', 'controller-manager'],
      /(?<csr>csr-\w+)(?:: | not authorized: )failed to find machine (?:for node|with InternalDNS matching) (?<name>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)/,
    ),
    alreadyBound: likely(
      ['machine-approver', 'controller-manager'],
      /(?:(?<csr>csr-\w+)(?:: | not authorized: ))?(?:machine for node (?:&ObjectReference\{[^}]{0,60}Name:)?(?<name>[a-z0-9][a-z0-9.-]*)\S{0,200} (?<bound>already has node ref)|node (?<name2>[a-z0-9][a-z0-9.-]*) (?<bound2>already exists))(?:, cannot approve|$)/,
    ),
    servingRefused: likely(
      ['machine-approver', 'controller-manager'],
      /(?:(?<csr>csr-\w+): (?:Serving Cert: )?|CSR (?<csr2>csr-\w+) not authorized: )(?<refusal>No target machine)(?: for node "?(?<name>[\w.-]+))?/,
    ),
    tooLate: likely(
      ['machine-approver', 'controller-manager'],
      /(?<csr>csr-\w+)(?:(?:: | not authorized: )CSR(?: csr-\w+)?)? (?<late>creation time) .{0,160}not in range/,
    ),
    flowDisabled: likely(
      ['machine-approver', 'controller-manager'],
      /(?<csr>csr-\w+)(?:: CSR| for node client cert) rejected as (?<disabled>the flow is disabled)/,
    ),
    notJudged: context(
      ['machine-approver'],
      /(?<csr>csr-\w+): (?:CSR does not appear to be a valid node bootstrapper|unable to get node|Failed to list machines)/,
    ),
    approved: withdraws(
      ['machine-approver', 'controller-manager'],
      /CSR (?<csr>csr-\w+) (?:is already )?approved|(?<csr2>csr-\w+): CSR is already approved/,
      { anchors: ['CSR csr-', 'CSR is already approved'] },
    ),
  },
  needs: [],
  symptoms: [],
  per: ['csr', 'csr2'],
  explains: ['anonymous-kubelet', 'unapproved-client-csr', 'kubelet-serving-certificate-missing'],
  summary: ({ csr, csr2, name, bound, late, disabled, refusal }) =>
    refusal !== undefined
      ? `machine-approver refuses ${csr ?? csr2 ?? 'the request'} (${refusal}): no Machine is linked to its node.`
      : disabled !== undefined
        ? `machine-approver refuses ${csr ?? 'the request'}: approval of client certificates is disabled in its configuration.`
        : late !== undefined
          ? `machine-approver refuses ${csr ?? 'the request'}: it came too long after its Machine was made.`
          : bound !== undefined
            ? `machine-approver refuses ${csr ?? 'the request'}: the Machine or Node of ${name ?? 'that name'} is taken already.`
            : `machine-approver refuses ${csr ?? 'the request'}: no Machine has the internal DNS name ${name ?? 'of the node'}.`,
  remedy: ({ csr }) => [
    step(
      'Approve by hand when you know the machine (its serving request follows a minute later). On clusters without Machines this is the way by design.',
      `oc adm certificate approve ${csr ?? '<csr>'}`,
    ),
    step(
      'Else compare the names of Machines and nodes: a custom DHCP domain or a reused Machine explains most refusals.',
      'oc get machines -A -o custom-columns=MACHINE:.metadata.name,DNS:.status.addresses[*].address,NODE:.status.nodeRef.name',
    ),
  ],
  decide: step(
    'Read what machine-approver says about the request.',
    'oc -n openshift-cluster-machine-approver logs deploy/machine-approver -c machine-approver-controller --tail=100',
  ),
  page: {
    why: 'machine-approver signs only for a machine that it can recognize: a Machine whose InternalDNS is the requested name, that has no Node yet, and that was made less than two hours before (ten minutes in OpenShift 4.1).',
    prevent: 'Keep EC2’s domain in DHCP; delete Machines instead of reusing their instances.',
    notThis:
      'When every request is ignored because too many wait, it is too-many-pending-csrs. Other clusters: unapproved-client-csr.',
    refs: [
      'https://github.com/openshift/cluster-machine-approver/blob/HEAD/pkg/controller/csr_check.go',
      'https://github.com/okd-project/okd/issues/373',
    ],
  },
});
