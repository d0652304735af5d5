import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** machine-approver has stopped, because more requests wait than there are machines. */
export default defineCause({
  id: 'too-many-pending-csrs',
  stage: 'authenticated',
  title: 'OpenShift’s machine-approver stopped because too many requests are pending',
  scope: 'cluster',
  signs: {
    ignored: definite(
      ['machine-approver', 'controller-manager'],
      /Pending CSRs: (?<pending>\d+); Max pending allowed: (?<limit>\d+)\. Difference between pending CSRs and machines/,
      { anchors: ['Max pending allowed'] },
    ),
    // The words of OpenShift 4.1 to 4.4.
    ignoredOlder: definite(
      ['machine-approver', 'controller-manager', 'client-output', 'unknown'],
      /[Ii]gnoring all CSRs as too many recent pending CSRs seen: (?<pending>\d+)/,
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['anonymous-kubelet', 'unapproved-client-csr', 'csr-refused-by-machine-approver'],
  summary: ({ pending, limit }) =>
    `${pending ?? 'Too many'} certificate requests wait, more than the ${limit ?? 'number'} that machine-approver allows; it ignores every new one, so no machine can join.`,
  remedy: () => [
    step(
      'Delete the requests that wait.',
      "oc get csr -o json | jq -r '.items[] | select(.status == {}) | .metadata.name' | xargs oc delete csr",
    ),
    step(
      'Then look at the machine that keeps asking.',
      'oc get csr --sort-by=.metadata.creationTimestamp | tail -n 20',
    ),
  ],
  decide: step('Count the requests that wait.', 'oc get csr | grep Pending | tail -n 200'),
  page: {
    why: 'A machine whose request is refused asks again every few minutes. machine-approver takes a heap of waiting requests for an attack and stops approving altogether.',
    prevent: 'Alert on the metric mapi_current_pending_csr.',
    notThis:
      'One request that is refused with a reason is csr-refused-by-machine-approver, which often began it.',
    refs: [
      'https://github.com/openshift/cluster-machine-approver/blob/HEAD/pkg/controller/controller.go',
    ],
  },
});
