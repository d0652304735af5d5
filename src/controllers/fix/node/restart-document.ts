import type { JsonObject } from '../../../evidence/json.ts';
import { RESTART_DOCUMENT } from '../../../ports/aws-api.ts';

/** The name of its only step, by which its output is asked for. */
export const RESTART_STEP = 'restart';
/** All that it has a machine do; it ends as the restart does. */
export const RESTART_COMMAND =
  'systemctl restart kubelet && systemctl show kubelet --property=ActiveState,SubState';
const SECONDS_MAX = '60';

/** The document that an administrator makes once; one with any other content is not run. */
export function restartDocument(): JsonObject {
  return {
    schemaVersion: '2.2',
    description: 'Restarts the kubelet of a machine, which then registers its Node again.',
    mainSteps: [
      {
        action: 'aws:runShellScript',
        name: RESTART_STEP,
        precondition: { StringEquals: ['platformType', 'Linux'] },
        inputs: { timeoutSeconds: SECONDS_MAX, runCommand: [RESTART_COMMAND] },
      },
    ],
  };
}

/** The command that an administrator runs once. */
export const CREATE_RESTART_DOCUMENT =
  `aws ssm create-document --name ${RESTART_DOCUMENT} --document-type Command ` +
  '--document-format JSON --content "$(rollcall permissions --restart-document)"';
