import { mailStamp } from '../logs/stamps.ts';
import { byLine, consoleOf } from './console.ts';
import type { BootParts } from './boot-parts.ts';
import type { UserData } from './user-data.ts';

const OUTPUT = '/var/log/cloud-init-output.log';
/** What each image carries. */
const VERSIONS = {
  ubuntu: '25.1.4-0ubuntu0~24.04.1',
  al2: '19.3-46.amzn2',
  al2023: '22.2.2',
} as const;

interface CloudInitTask {
  /** From the start of the kernel to the first line of user data. */
  readonly totalMs: number;
  readonly isFirst: boolean;
  readonly userData: UserData;
}

/** The stages of cloud-init; scripts of user data run at the first boot only. */
export function cloudInit(parts: BootParts, task: CloudInitTask): void {
  const { host } = parts;
  const { totalMs } = task;
  const output = outputOf(parts);
  const stage = (name: string): void => output(startText(parts, name));
  host.after(totalMs * 0.3, () => stage('init-local'));
  host.after(totalMs * 0.45, () => {
    stage('init');
    if (task.isFirst && task.userData.kind === 'script' && task.userData.hostname !== null)
      host.setHostname(task.userData.hostname);
  });
  host.after(totalMs * 0.8, () => stage('modules:config'));
  host.after(totalMs, () => {
    stage('modules:final');
    final(parts, task, output);
  });
}

function final(
  parts: BootParts,
  { isFirst, userData }: CloudInitTask,
  output: (text: string) => void,
): void {
  const script = isFirst && userData.kind !== 'none' ? userData.script : '';
  if (script === '') return finished(parts, output);
  parts.runScript(script, output, ({ exitCode }) => {
    if (exitCode !== 0) failed(parts, output);
    finished(parts, output);
  });
}

function failed({ host }: BootParts, output: (text: string) => void): void {
  const time = new Date(host.nowMs())
    .toISOString()
    .slice(0, 23)
    .replace('T', ' ')
    .replace('.', ',');
  output(
    `${time} - cc_scripts_user.py[WARNING]: Failed to run module scripts-user (scripts in /var/lib/cloud/instance/scripts)\n`,
  );
  output(
    `${time} - util.py[WARNING]: Running module scripts-user (<module 'cloudinit.config.cc_scripts_user' from '/usr/lib/python3/dist-packages/cloudinit/config/cc_scripts_user.py'>) failed\n`,
  );
}

function finished(parts: BootParts, output: (text: string) => void): void {
  const { host } = parts;
  const source = host.settings.image === 'ubuntu' ? 'DataSourceEc2Local' : 'DataSourceEc2';
  output(
    `Cloud-init v. ${VERSIONS[host.settings.image]} finished at ${mailStamp(host.nowMs())}. Datasource ${source}.  Up ${up(parts)} seconds\n`,
  );
}

function startText(parts: BootParts, stage: string): string {
  const { host } = parts;
  const version = VERSIONS[host.settings.image];
  return `Cloud-init v. ${version} running '${stage}' at ${mailStamp(host.nowMs())}. Up ${up(parts)} seconds.\n`;
}

function up({ host }: BootParts): string {
  return (host.uptimeMs() / 1000).toFixed(2);
}

/** What scripts print goes into the log, the journal and onto the console. */
function outputOf({ host }: BootParts): (text: string) => void {
  const pid = host.nextPid();
  const toConsole = consoleOf(host);
  return byLine((line) => {
    host.files.append(OUTPUT, line);
    host.note('cloud-init', pid, line);
    toConsole(`[   ${(host.uptimeMs() / 1000).toFixed(6)}] cloud-init[${pid}]: ${line}\n`);
  });
}
