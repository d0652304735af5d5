import { connect, isIP, type Socket } from 'node:net';
import { connect as secure, type PeerCertificate, type TLSSocket } from 'node:tls';
import { type Clock, startTimer } from '../../ports/clock.ts';
import type { HostProbe, HostProbed } from '../../ports/host.ts';
import { PortError } from '../../ports/port-error.ts';
import { codeOf, portErrorOf, timeoutOf } from './failure.ts';

// An import would read all names of `http`, of which `WebSocket` loads Node's own undici: 16 MB.
const http = process.getBuiltinModule('node:http');

type Tls = NonNullable<HostProbed['tls']>;

const NAMES_MAX = 50;
/** A Date header is cut to whole seconds, so on average half of one is missing. */
const DATE_CUT_MS = 500;

/** Connects, shakes hands and asks for the server's time; nothing is sent but one HEAD request. */
export async function probeServer(probe: HostProbe, clock: Clock): Promise<HostProbed> {
  const object = `${probe.host}:${probe.port}`;
  const opened: Socket[] = [];
  const { promise: end, reject } = Promise.withResolvers<never>();
  const late = () => reject(timeoutOf(object, probe.timeoutMs));
  const timer = startTimer(clock, probe.timeoutMs, late);
  try {
    return await Promise.race([probed(probe, opened, clock), end]);
  } catch (error) {
    throw error instanceof PortError ? error : portErrorOf(object, error);
  } finally {
    timer.cancel();
    for (const socket of opened) socket.destroy();
  }
}

async function probed(probe: HostProbe, opened: Socket[], clock: Clock): Promise<HostProbed> {
  const startedMs = clock.monotonicMs();
  const socket = connect({ host: probe.host, port: probe.port });
  opened.push(socket);
  await once(socket, 'connect');
  const connectMs = clock.monotonicMs() - startedMs;
  if (probe.tlsServerName === null) return { connectMs, tls: null, clockOffsetMs: null };
  const shaken = shakeHands(socket, probe, probe.tlsServerName);
  opened.push(shaken);
  await once(shaken, 'secureConnect');
  const tls = tlsOf(shaken);
  const leftMs = probe.timeoutMs - (clock.monotonicMs() - startedMs);
  return {
    connectMs,
    tls,
    clockOffsetMs: await clockOffset(shaken, { probe, timeoutMs: leftMs, clock }),
  };
}

function shakeHands(socket: Socket, probe: HostProbe, serverName: string): TLSSocket {
  return secure({
    socket,
    // The certificate is compared with this name; an address is never sent as a server name.
    host: serverName,
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    ...(probe.caPem === null ? {} : { ca: probe.caPem }),
    // An untrusted certificate is a finding to be described, not an error.
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  });
}

function once(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.on('error', reject);
    socket.once('close', () => {
      reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    });
  });
}

function tlsOf(socket: TLSSocket): Tls {
  const certificate: Partial<PeerCertificate> = socket.getPeerCertificate();
  return {
    isTrusted: socket.authorized,
    why: socket.authorized ? null : reasonOf(socket.authorizationError),
    subject: distinguishedName(certificate.subject),
    issuer: distinguishedName(certificate.issuer),
    validFrom: certificate.valid_from ?? '',
    validTo: certificate.valid_to ?? '',
    names: (certificate.subjectaltname ?? '')
      .split(', ')
      .map((name) => name.replace(/^(?:DNS|IP Address):/, ''))
      .filter((name) => name !== '')
      .slice(0, NAMES_MAX),
  };
}

/** Node.js says a code in both shapes, as the error's or as the error itself. */
function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return code === '' ? String(error) : code;
}

function distinguishedName(parts: object | undefined): string {
  return Object.entries(parts ?? {})
    .map(([name, value]) => `${name}=${[value].flat().join('+')}`)
    .join(', ');
}

interface Question {
  readonly probe: HostProbe;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The server's clock minus ours by its Date header; null when it sent none in time. */
function clockOffset(
  socket: TLSSocket,
  { probe, timeoutMs, clock }: Question,
): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const sentMs = clock.nowMs();
  const asked = http.request({
    method: 'HEAD',
    path: '/',
    headers: { host: probe.tlsServerName ?? probe.host, connection: 'close' },
    createConnection: () => socket,
  });
  asked.once('response', (response) => {
    const middleMs = (sentMs + clock.nowMs()) / 2;
    const theirsMs = Date.parse(response.headers.date ?? '') + DATE_CUT_MS;
    resolve(Number.isNaN(theirsMs) ? null : Math.round(theirsMs - middleMs));
    response.resume();
  });
  asked.once('error', () => resolve(null));
  const timer = startTimer(clock, Math.max(0, timeoutMs - 50), () => resolve(null));
  asked.end();
  return promise.finally(timer.cancel);
}
