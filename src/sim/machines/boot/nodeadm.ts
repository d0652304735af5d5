import type { BootParts } from './boot-parts.ts';
import { consoleOf } from './console.ts';
import { askPrivateDnsName, type NameAnswer } from './ec2-name.ts';
import { eksKubelet } from './eks-kubelet.ts';
import { slashedStamp } from '../logs/stamps.ts';
import type { NodeConfig, UserData } from './user-data.ts';

/** nodeadm waits this long for a private DNS name, with 30 tries (amazon-eks-ami, nodeadm). */
const NAME_WAIT_MS = 600_000;
/** One try that gets no answer, and the pause before the next one. */
const LOST_TRY_MS = 30_000;
const PAUSE_MS = 2000;

interface NodeadmLog {
  json(level: 'info' | 'fatal' | 'warn', caller: string, msg: string, more?: object): void;
  sdk(text: string): void;
}

function nodeadmLog({ host }: BootParts): NodeadmLog {
  const pid = host.nextPid();
  const toConsole = consoleOf(host);
  const write = (text: string): void => {
    host.note('nodeadm', pid, text);
    toConsole(`[   ${(host.uptimeMs() / 1000).toFixed(6)}] nodeadm[${pid}]: ${text}\n`);
  };
  return {
    json: (level, caller, msg, more = {}) =>
      write(
        JSON.stringify({ level, ts: Math.round(host.nowMs() * 1000) / 1e6, caller, msg, ...more }),
      ),
    sdk: (text) => write(`SDK ${slashedStamp(host.nowMs())} DEBUG ${text}`),
  };
}

/** The unit before cloud-init: reads and checks the configuration. True when it ended well. */
export function nodeadmConfig(parts: BootParts, userData: UserData): boolean {
  const log = nodeadmLog(parts);
  const { host } = parts;
  host.note('systemd', 1, 'Starting nodeadm-config.service - EKS Nodeadm Config...');
  log.json('info', 'init/init.go:56', 'Checking user is root..');
  log.json('info', 'init/init.go:64', 'Loading configuration..', {
    configSource: ['imds://user-data', 'file:///etc/eks/nodeadm.d/'],
    configCache: '',
  });
  const problem = configProblem(userData);
  if (problem === null) {
    log.json('info', 'init/init.go:70', 'Loaded configuration');
    parts.setUnit('nodeadm-config', 'stopped');
    host.note('systemd', 1, 'Finished nodeadm-config.service - EKS Nodeadm Config.');
    return true;
  }
  fatal(log, problem);
  unitFailed(parts, 'nodeadm-config');
  return false;
}

function fatal(log: NodeadmLog, error: string): void {
  const stacktrace =
    'main.main\n\t/workdir/cmd/nodeadm/main.go:36\nruntime.main\n\t/root/sdk/go1.24.9/src/runtime/proc.go:283';
  log.json('fatal', 'nodeadm/main.go:36', 'Command failed', { error, stacktrace });
}

function unitFailed(parts: BootParts, unit: string): void {
  const { host } = parts;
  const what = unit === 'nodeadm-run' ? 'EKS Nodeadm Run' : 'EKS Nodeadm Config';
  host.note('systemd', 1, `${unit}.service: Main process exited, code=exited, status=1/FAILURE`);
  host.note('systemd', 1, `${unit}.service: Failed with result 'exit-code'.`);
  host.note('systemd', 1, `Failed to start ${unit}.service - ${what}.`);
  parts.setUnit(unit, 'stopped');
}

function configProblem(userData: UserData): string | null {
  if (userData.kind !== 'nodeadm') return 'no config in chain';
  if (userData.config === null)
    return 'error converting YAML to JSON: yaml: line 4: found character that cannot start any token';
  return null;
}

function missingField(config: NodeConfig): string | null {
  if (config.name === '') return 'Name is missing in cluster configuration';
  if (config.apiServerEndpoint === '')
    return 'Apiserver endpoint is missing in cluster configuration';
  if (config.certificateAuthority === '')
    return 'Certificate authority is missing in cluster configuration';
  if (config.cidr === '') return 'CIDR is missing in cluster configuration';
  return null;
}

/** The unit after cloud-init: looks the name up, configures and starts the daemons. */
export function nodeadmRun(parts: BootParts, userData: UserData): void {
  if (userData.kind !== 'nodeadm' || userData.config === null) return;
  const { config } = userData;
  const log = nodeadmLog(parts);
  const { host } = parts;
  host.note('systemd', 1, 'Starting nodeadm-run.service - EKS Nodeadm Run...');
  const startedMs = host.trueMs();
  log.json('info', 'init/init.go:56', 'Checking user is root..');
  log.json('info', 'init/init.go:70', 'Enriching configuration..');
  log.json('info', 'init/init.go:157', 'Fetching instance details..');
  const end = (name: string): void => configured(parts, { config, log, name, startedMs });
  if (config.isNamedByInstanceId) return end(host.instanceId);
  lookUp(parts, { log, startedMs, attempt: 1, end });
}

interface LookUp {
  readonly log: NodeadmLog;
  readonly startedMs: number;
  readonly attempt: number;
  readonly end: (name: string) => void;
}

function lookUp(parts: BootParts, task: LookUp): void {
  const { host, network } = parts;
  const { attempt, log } = task;
  if (attempt === 1) log.sdk('attempting waiter request, attempt count: 1');
  const answer = askPrivateDnsName(host, network);
  if (answer.kind === 'name') return void host.after(300, () => task.end(answer.name));
  const isLate = host.trueMs() - task.startedMs >= NAME_WAIT_MS;
  const error = finalError(answer, isLate);
  if (error !== null) {
    log.sdk(`request failed with unretryable error ${error.sdk}`);
    fatal(log, error.text);
    return unitFailed(parts, 'nodeadm-run');
  }
  const waitMs = answer.kind === 'lost' ? LOST_TRY_MS : PAUSE_MS * Math.min(attempt, 10);
  host.after(waitMs, () => {
    log.sdk(
      answer.kind === 'lost'
        ? `retrying request EC2/DescribeInstances, attempt ${attempt + 1}`
        : `attempting waiter request, attempt count: ${attempt + 1}`,
    );
    lookUp(parts, { ...task, attempt: attempt + 1 });
  });
}

function finalError(answer: NameAnswer, isLate: boolean): { sdk: string; text: string } | null {
  switch (answer.kind) {
    case 'no-credentials':
      return {
        sdk: 'http response error StatusCode: 404, request to EC2 IMDS failed',
        text: 'operation error EC2: DescribeInstances, get identity: get credentials: failed to refresh cached credentials, no EC2 IMDS role found, operation error ec2imds: GetMetadata, http response error StatusCode: 404, request to EC2 IMDS failed',
      };
    case 'refused':
      return {
        sdk: `https response error StatusCode: ${answer.status}`,
        text: `operation error EC2: DescribeInstances, https response error StatusCode: ${answer.status}, RequestID: 0f2b9b0c-8e7e-4ce8-9af1-6d1a64bc9f10, api error ${answer.code}: ${answer.message}`,
      };
    case 'lost':
      if (!isLate) return null;
      return {
        sdk: 'https response error StatusCode: 0, RequestID: , canceled, context deadline exceeded',
        text: 'expected err to be of type smithy.APIError, got operation error EC2: DescribeInstances, https response error StatusCode: 0, RequestID: , canceled, context deadline exceeded',
      };
    default:
      return isLate
        ? {
            sdk: 'canceled, context deadline exceeded',
            text: 'exceeded max wait time for InstanceConditionMet waiter',
          }
        : null;
  }
}

interface Configured {
  readonly config: NodeConfig;
  readonly log: NodeadmLog;
  readonly name: string;
  readonly startedMs: number;
}

function configured(parts: BootParts, { config, log, name, startedMs }: Configured): void {
  const { disk, host, kubelet } = parts;
  log.json('info', 'init/init.go:162', 'Instance details populated');
  log.json('info', 'init/init.go:94', 'Validating configuration..');
  const missing = missingField(config);
  if (missing !== null) {
    fatal(log, missing);
    return unitFailed(parts, 'nodeadm-run');
  }
  for (const daemon of ['containerd', 'kubelet'])
    log.json('info', 'init/init.go:116', 'Configuring daemon...', { name: daemon });
  disk.config = eksKubelet(host, name, { flags: config.kubeletFlags, maxPods: config.maxPods });
  host.files.write(
    '/etc/kubernetes/kubelet/config.json',
    '{"kind":"KubeletConfiguration","apiVersion":"kubelet.config.k8s.io/v1beta1","cgroupDriver":"systemd"}\n',
  );
  host.after(900, () => {
    log.json('info', 'init/init.go:124', 'Ensuring daemon is running..', { name: 'kubelet' });
    kubelet.start();
    log.json('info', 'init/init.go:133', 'done!', {
      duration: Math.round((host.trueMs() - startedMs) * 1000) / 1e6,
    });
    parts.setUnit('nodeadm-run', 'stopped');
    host.note('systemd', 1, 'Finished nodeadm-run.service - EKS Nodeadm Run.');
  });
}
