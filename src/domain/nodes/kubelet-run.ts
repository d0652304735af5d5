/** The condition in which the agent says which run of the kubelet its Node has. */
export const KUBELET_CONDITION = 'rollcall.dev/KubeletRuns';

const REASON = /^Started\d{1,15}msAfterBoot$/;

/**
 * The reason of that condition. Time since the boot tells two runs apart whatever the clock does,
 * and is the same in every look at one run.
 */
export function kubeletRunReason(startedMs: number): string {
  return `Started${startedMs}msAfterBoot`;
}

/** Whether a reason names a run of the kubelet; an agent that has not looked yet gives another. */
export function isKubeletRun(reason: string): boolean {
  return REASON.test(reason);
}
