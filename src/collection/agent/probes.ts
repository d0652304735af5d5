import type { ProbeName } from '../../domain/nodes/agent-probes.ts';
import type { IdentityWay } from '../../domain/pods/identity.ts';
import type { NodeProbe } from '../../ports/node-probe.ts';
import type { Random } from '../../ports/random.ts';
import { type ApiServerPlaces, apiServerProbe, clockProbe } from './api-server.ts';
import { identityProbe, type InjectedIdentity } from './identity.ts';
import { kubeletProbe } from './kubelet-run.ts';
import { csiProbe, diskProbe } from './machine.ts';
import { type MachineView, metadataProbe, noticeProbe } from './metadata.ts';
import { dnsProbe, imagePathProbe, podNetworkProbe } from './network.ts';
import type { AgentPlaces } from './places.ts';
import type { ProbeTimes, ProbeTools } from './probe.ts';

export interface ProbeSettings {
  readonly intervalMs: number;
  readonly apiServer: Omit<ApiServerPlaces, 'direct'>;
  readonly names: readonly string[];
  readonly peerPort: number;
  readonly nodeRole: string | null;
  readonly isMetadataBlocked: boolean;
  readonly identity: {
    readonly way: IdentityWay;
    readonly role: string | null;
    readonly injected: InjectedIdentity;
  } | null;
  readonly csiDrivers: readonly string[];
  readonly csiFolder: string;
  readonly registries: readonly string[];
  readonly disks: readonly string[];
}

export type AgentTools = ProbeTools & {
  readonly random: Random;
  readonly places: AgentPlaces;
  readonly view: MachineView;
};

/** EC2 gives a Spot Instance two minutes, so that it is asked about more often. */
const NOTICE_MS = 5_000;
const TIMEOUT_MS = 8_000;
/** Two lookups and three servers one after another. */
const LONG_MS = 15_000;

/** The probe of a name, with the settings that belong to it. */
export function probeNamed(name: ProbeName, tools: AgentTools, settings: ProbeSettings): NodeProbe {
  const { places, view } = tools;
  const times: ProbeTimes = { intervalMs: settings.intervalMs, timeoutMs: TIMEOUT_MS };
  const slow: ProbeTimes = { intervalMs: 6 * settings.intervalMs, timeoutMs: LONG_MS };
  const apiServer = { ...settings.apiServer, direct: () => places.direct() };
  switch (name) {
    case 'api-server':
      return refreshed(apiServerProbe(tools, apiServer, times), places);
    case 'clock':
      return clockProbe(tools, apiServer, slow);
    case 'dns':
      return dnsProbe(tools, settings.names, times);
    case 'pod-network': {
      const peers: AgentPlaces['peers'] = async (...asked) => places.peers(...asked);
      return podNetworkProbe(tools, { peers, port: settings.peerPort }, times);
    }
    case 'metadata': {
      const { nodeRole, isMetadataBlocked: isSilenceExpected } = settings;
      return metadataProbe(tools, view, { nodeRole, isSilenceExpected }, times);
    }
    case 'identity':
      return canaryProbe(tools, settings, times);
    case 'csi': {
      const registered: AgentPlaces['csiDrivers'] = async (signal) => places.csiDrivers(signal);
      const place = { folder: settings.csiFolder, drivers: settings.csiDrivers, registered };
      return csiProbe(tools, place, times);
    }
    case 'image-path':
      return imagePathProbe(tools, settings.registries, slow);
    case 'disk':
      return diskProbe(tools, settings.disks, times);
    case 'kubelet':
      return kubeletProbe(tools, view, { intervalMs: NOTICE_MS, timeoutMs: TIMEOUT_MS });
    default:
      return noticeProbe(tools, view, { intervalMs: NOTICE_MS, timeoutMs: TIMEOUT_MS });
  }
}

/** @throws TypeError without a way to an identity, which whoever reads the settings refuses */
function canaryProbe(tools: AgentTools, settings: ProbeSettings, times: ProbeTimes): NodeProbe {
  const { identity, nodeRole } = settings;
  if (identity === null) throw new TypeError('the identity probe has no way');
  return identityProbe(tools, tools.view, { ...identity, nodeRole }, times);
}

/** A look that learns the API server's addresses while there is a way to them. */
function refreshed(probe: NodeProbe, places: AgentPlaces): NodeProbe {
  return {
    ...probe,
    async look(signal) {
      const result = await probe.look(signal);
      if (result.answer === 'yes') await places.refresh(signal);
      return result;
    },
  };
}
