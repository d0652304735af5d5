import { drawn } from '../host.ts';
import { addressPlugin } from '../network/address-plugin.ts';
import { cloudInit } from './cloud-init.ts';
import { consoleOf } from './console.ts';
import type { BootParts } from './boot-parts.ts';
import { nodeadmConfig, nodeadmRun } from './nodeadm.ts';
import { userDataOf } from './user-data.ts';

/** A boot that has no user data to wait for is this much shorter. */
const LATER_BOOT = 0.6;

/** From the kernel's first line to a running kubelet, or to what kept it from running. */
export function boot(parts: BootParts, isFirst: boolean): void {
  const { host, disk, kubelet } = parts;
  const totalMs = drawn(host.random, host.settings.bootTime) * (isFirst ? 1 : LATER_BOOT);
  const userData = userDataOf(host.instance().userData);
  const isNodeadm = userData.kind === 'nodeadm' || host.settings.image === 'al2023';
  kernelLines(parts);
  host.after(totalMs * 0.4, () => services(parts));
  if (isNodeadm) {
    host.after(totalMs * 0.55, () => {
      if (nodeadmConfig(parts, userData))
        host.after(totalMs * 0.5, () => nodeadmRun(parts, userData));
    });
  }
  cloudInit(parts, { totalMs, isFirst, userData });
  if (!isFirst && !isNodeadm && disk.config !== null) host.after(totalMs, () => kubelet.start());
}

function kernelLines({ host }: BootParts): void {
  const { image } = host.settings;
  const line = KERNELS[image];
  host.note('kernel', 0, line);
  consoleOf(host)(`[    0.000000] ${line}\n`);
}

const KERNELS = {
  ubuntu: 'Linux version 6.14.0-1016-aws (buildd@lcy02-amd64-051) #16~24.04.1-Ubuntu SMP',
  al2: 'Linux version 5.10.245-243.979.amzn2.x86_64 (mockbuild@ip-10-0-51-219) #1 SMP',
  al2023:
    'Linux version 6.12.55-74.119.amzn2023.x86_64 (mockbuild@ip-10-0-33-60) #1 SMP PREEMPT_DYNAMIC',
} as const;

function services(parts: BootParts): void {
  const { host, network } = parts;
  host.note('systemd', 1, 'Starting containerd.service - containerd container runtime...');
  const pid = host.nextPid();
  const time = new Date(host.nowMs()).toISOString();
  host.note(
    'containerd',
    pid,
    `time="${time}" level=info msg="starting containerd" revision=1c4457e00facac03ce1d75f7b6777a7a851e5c41 version=2.1.5`,
  );
  host.note(
    'containerd',
    pid,
    `time="${time}" level=error msg="failed to load cni during init, please check CRI plugin status before setting up network for pods" error="cni config load failed: no network config found in /etc/cni/net.d: cni plugin not initialized: failed to load cni config"`,
  );
  host.note('systemd', 1, 'Started containerd.service - containerd container runtime.');
  if (host.settings.podNetwork === 'ready-made') network.setRoutes(true);
  const known = ['/etc/cni/net.d/10-calico.conflist', '/etc/cni/net.d/10-ready-made.conflist'];
  if (host.settings.podNetwork === 'ready-made')
    host.files.write(
      '/etc/cni/net.d/10-ready-made.conflist',
      '{"name":"ready-made","plugins":[{"type":"bridge"}]}\n',
    );
  if (known.some((path) => host.files.has(path))) {
    const block = parts.neighbours.podBlock(host.instanceId);
    network.setPlugin(addressPlugin('bridge', block, host.random));
  }
}
