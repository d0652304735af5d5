import { isIP } from 'node:net';
import type { HostProbed } from '../../ports/host.ts';
import type { NodeProbe, ProbeResult } from '../../ports/node-probe.ts';
import { PortError } from '../../ports/port-error.ts';
import { no, type ProbeTimes, type ProbeTools, proofOf, settled, unknown, yes } from './probe.ts';

/** An address of the API server. */
export interface ApiServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface ApiServerPlaces {
  /** The service address; null outside a pod. */
  readonly service: ApiServerAddress | null;
  /** Addresses behind the service, as far as they are known by now. */
  readonly direct: () => readonly ApiServerAddress[];
  /** The name in the server's certificate. */
  readonly serverName: string;
  readonly caPem: string | null;
}

const CONNECT_MS = 3_000;
const DIRECT_MAX = 3;

function textOf({ host, port }: ApiServerAddress): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

async function reached(
  { host }: ProbeTools,
  places: ApiServerPlaces,
  address: ApiServerAddress,
): Promise<HostProbed | PortError> {
  const { serverName: tlsServerName, caPem } = places;
  return settled(host.probe({ ...address, tlsServerName, caPem, timeoutMs: CONNECT_MS }));
}

/** The first that answers, or why the first did not; null when none is known. */
async function reachedDirectly(
  tools: ProbeTools,
  places: ApiServerPlaces,
): Promise<{ readonly at: string; readonly probed: HostProbed | PortError } | null> {
  const addresses = places.direct().slice(0, DIRECT_MAX);
  const all = await Promise.all(
    addresses.map(async (address) => ({
      at: textOf(address),
      probed: await reached(tools, places, address),
    })),
  );
  return all.find(({ probed }) => !(probed instanceof PortError)) ?? all[0] ?? null;
}

/** Whether a pod reaches the API server through the service address, and by its own. */
export function apiServerProbe(
  tools: ProbeTools,
  places: ApiServerPlaces,
  times: ProbeTimes,
): NodeProbe {
  return proofOf('ApiServerReachable', times, async () => {
    const { service } = places;
    if (service === null)
      return unknown('NoServiceAddress', 'KUBERNETES_SERVICE_HOST is not set; run it in a pod.');
    const [through, directly] = await Promise.all([
      reached(tools, places, service),
      reachedDirectly(tools, places),
    ]);
    return judged(textOf(service), through, directly);
  });
}

function judged(
  service: string,
  through: HostProbed | PortError,
  directly: Awaited<ReturnType<typeof reachedDirectly>>,
): ProbeResult {
  const direct = directlyText(directly);
  if (through instanceof PortError) {
    const isReached = directly !== null && !(directly.probed instanceof PortError);
    const reason = isReached ? 'ServiceAddressLeadsNowhere' : 'Unreachable';
    return no(reason, `Service address ${service}: ${through.message} ${direct}`);
  }
  const { connectMs, tls } = through;
  if (tls?.isTrusted === false)
    return no('UntrustedCertificate', `Service address ${service}: ${tls.why ?? 'not trusted'}.`);
  return yes(
    'Reachable',
    `Service address ${service} connects in ${Math.round(connectMs)} ms. ${direct}`,
  );
}

function directlyText(directly: Awaited<ReturnType<typeof reachedDirectly>>): string {
  if (directly === null) return 'No direct address is known.';
  const { at, probed } = directly;
  if (probed instanceof PortError) return `Directly: ${probed.message}`;
  return `Directly: ${at} connects in ${Math.round(probed.connectMs)} ms.`;
}

/** Far less than what makes signatures and tokens invalid; more than a Date header is wrong by. */
const OFFSET_MS_MAX = 10_000;

/** Whether the machine's clock is that of the API server. */
export function clockProbe(
  tools: ProbeTools,
  places: ApiServerPlaces,
  times: ProbeTimes,
): NodeProbe {
  return proofOf('ClockOffset', times, async () => {
    const addresses = [places.service, ...places.direct()].filter((one) => one !== null);
    for (const address of addresses.slice(0, DIRECT_MAX)) {
      const probed = await reached(tools, places, address);
      if (probed instanceof PortError || probed.clockOffsetMs === null) continue;
      const seconds = (Math.abs(probed.clockOffsetMs) / 1000).toFixed(1);
      const side = probed.clockOffsetMs > 0 ? 'behind' : 'ahead of';
      const message = `The clock is ${seconds} s ${side} the API server's (limit ${OFFSET_MS_MAX / 1000} s).`;
      const isWell = Math.abs(probed.clockOffsetMs) <= OFFSET_MS_MAX;
      return isWell ? yes('InStep', message) : no('OutOfStep', message);
    }
    return unknown('NoTime', 'The API server told no time.');
  });
}
