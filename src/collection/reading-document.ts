import type { JsonObject } from '../evidence/json.ts';
import { READING_DOCUMENT } from '../ports/aws-api.ts';

/** One step of the document, and what its output is. */
export interface ReadingStep {
  /** Its name in the document, by which its output is asked for. */
  readonly name: string;
  readonly command: string;
  /** The file that it prints the end of, null for what is no file. */
  readonly file: string | null;
  /** The unit whose journal it prints, null for any other. */
  readonly unit: string | null;
}

/** Systems Manager hands out so many characters of a step, the first ones (GetCommandInvocation). */
const BYTES_MAX = 23_000;

function journal(name: string, unit: string): ReadingStep {
  const command = `journalctl -u ${unit} --utc -o short-iso --no-pager -n 400 | tail -c ${BYTES_MAX}`;
  return { name, command, file: null, unit };
}

function file(name: string, path: string): ReadingStep {
  return { name, command: `tail -c ${BYTES_MAX} ${path} || true`, file: path, unit: null };
}

/** What a command says; whatever it ends with, the steps behind it run. */
function said(name: string, command: string): ReadingStep {
  return { name, command: `${command} || true`, file: null, unit: null };
}

/** What is read of a machine without Node, in the order in which it is read. */
export const READING_STEPS: readonly ReadingStep[] = [
  journal('kubelet', 'kubelet'),
  journal('nodeadmConfig', 'nodeadm-config'),
  journal('nodeadmRun', 'nodeadm-run'),
  journal('containerd', 'containerd'),
  file('cloudInitOutput', '/var/log/cloud-init-output.log'),
  file('userData', '/var/log/user-data.log'),
  file('ipamd', '/var/log/aws-routed-eni/ipamd.log'),
  said(
    'services',
    'systemctl status --no-pager --full -n 0 kubelet containerd nodeadm-config nodeadm-run cloud-final',
  ),
  said('clock', 'chronyc -n tracking || timedatectl'),
];

const STEP_SECONDS = '20';

/** The only document that Rollcall has Systems Manager run: fixed commands that print. */
export function readingDocument(): JsonObject {
  return {
    schemaVersion: '2.2',
    description:
      'Prints the ends of logs that tell why a machine is not a Kubernetes node. It changes nothing.',
    mainSteps: READING_STEPS.map(({ name, command }) => ({
      action: 'aws:runShellScript',
      name,
      precondition: { StringEquals: ['platformType', 'Linux'] },
      inputs: { timeoutSeconds: STEP_SECONDS, runCommand: [command] },
    })),
  };
}

/** The command that an administrator runs once. */
export const CREATE_DOCUMENT =
  `aws ssm create-document --name ${READING_DOCUMENT} --document-type Command ` +
  '--document-format JSON --content "$(rollcall permissions --ssm-document)"';
