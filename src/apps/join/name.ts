import type { JoinMachine } from '../../collection/join/machine.ts';
import { lookAtCloud } from '../../collection/join/cloud.ts';
import { shortText } from '../../collection/host/machine.ts';
import { autoName } from '../../controllers/join/auto-name.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { Host } from '../../ports/host.ts';
import type { HostWrites } from '../../ports/host-writes.ts';
import { PortError } from '../../ports/port-error.ts';

export interface NamingTools {
  readonly host: Host;
  readonly writes: Pick<HostWrites, 'replaceFile'>;
  readonly machine: JoinMachine;
  readonly aws: (() => Promise<AwsApi>) | null;
  readonly isKubeadm: boolean;
  readonly say: (line: string) => void;
}

const BYTES_MAX = 64 * 1024;

/** COMMAND with the name that goes with the instance; the kubelet's arguments are written. */
export async function commandWithName(
  command: readonly string[],
  tools: NamingTools,
): Promise<readonly string[]> {
  const { host, writes, machine, isKubeadm, say } = tools;
  const path = await argumentsPath(host);
  const found = autoName({
    isKubeadm,
    command,
    hostname: host.hostname(),
    instanceId: machine.instanceId,
    zone: machine.zone,
    localHostname: machine.localHostname,
    privateDnsName: await privateDnsName(tools),
    argumentsText: await shortText(host, path, BYTES_MAX),
  });
  for (const why of found.why) say(why);
  if (found.argumentsText === null) return found.command;
  try {
    await writes.replaceFile(path, found.argumentsText);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    say(`${error.message} The kubelet gets no provider ID.`);
  }
  return found.command;
}

/** Packages of Red Hat's kind read the first, those of Debian's kind the second. */
async function argumentsPath(host: Host): Promise<string> {
  try {
    await host.listFolder('/etc/sysconfig');
    return '/etc/sysconfig/kubelet';
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return '/etc/default/kubelet';
  }
}

async function privateDnsName({ aws, machine }: NamingTools): Promise<string | null> {
  if (aws === null || machine.instanceId === null) return null;
  const look = await lookAtCloud(await aws(), machine.instanceId, null);
  return look.state === 'listed' ? look.privateDnsName : null;
}
