import { defineCause } from '../../../diagnosis/cause.ts';

/** machine-approver has stopped, because more requests wait than there are machines. */
export default defineCause({
  id: 'too-many-pending-csrs',
  stage: 'authenticated',
  title: 'OpenShift’s machine-approver stopped because too many requests are pending',
  scope: 'cluster',
  signs: {
    ignored: {
      in: ['machine-approver', 'controller-manager'],
      anchors: ['Max pending allowed'],
      pattern:
        /Pending CSRs: (?<pending>\d+); Max pending allowed: (?<limit>\d+)\. Difference between pending CSRs and machines/,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: [],
  explains: ['anonymous-kubelet', 'unapproved-client-csr', 'csr-refused-by-machine-approver'],
  summary: ({ pending, limit }) =>
    `${pending ?? 'Too many'} certificate requests wait, more than the ${limit ?? 'number'} that machine-approver allows; it ignores every new one, so no machine can join.`,
  remedy: () => [
    {
      text: 'Delete the requests that wait.',
      command:
        "oc get csr -o json | jq -r '.items[] | select(.status == {}) | .metadata.name' | xargs oc delete csr",
    },
    {
      text: 'Then look at the machine that keeps asking.',
      command: 'oc get csr --sort-by=.metadata.creationTimestamp | tail -n 20',
    },
  ],
  decide: {
    text: 'Count the requests that wait.',
    command: 'oc get csr | grep Pending | tail -n 200',
  },
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
