/**
 * An agent that behaves like kiam's: it listens and answers its readiness check at once, tries the
 * API server's service address, and only once that answers redirects 169.254.169.254 to itself.
 */
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { connect } from 'node:net';

const ROLES = '/latest/meta-data/iam/security-credentials/';
const PORT = 8181;
const CONNECT_MS = 1_000;
const [address = '', apiServer = '', ...pairs] = process.argv.slice(2);
/** Roles by the addresses of pods. */
const roles = new Map(pairs.map((pair) => pair.split('=') as [string, string]));

function answer(path: string, from: string): string | null {
  const role = roles.get(from.replace('::ffff:', ''));
  if (path === '/ping') return 'pong';
  if (path === '/latest/api/token') return 'token-of-the-agent';
  if (role === undefined) return null;
  if (path === ROLES) return role;
  return path === `${ROLES}${role}`
    ? JSON.stringify({ AccessKeyId: 'ASIAEXAMPLE', SecretAccessKey: 'no-key' })
    : null;
}

function reach(): void {
  const socket = connect({ host: apiServer, port: 443 });
  const again = (): void => {
    socket.destroy();
    setTimeout(reach, 100);
  };
  socket.setTimeout(CONNECT_MS, again);
  socket.once('error', () => undefined);
  socket.once('connect', () => {
    socket.destroy();
    redirect();
  });
}

function redirect(): void {
  const rule = `-t nat -A PREROUTING -i cali+ -d 169.254.169.254/32 -p tcp --dport 80 -j DNAT --to-destination ${address}:${PORT}`;
  const { status } = spawnSync('iptables', rule.split(' '));
  process.stdout.write(status === 0 ? 'redirects\n' : 'cannot redirect\n');
}

const server = createServer((request, response) => {
  const body = answer(request.url ?? '', request.socket.remoteAddress ?? '');
  response.writeHead(body === null ? 404 : 200);
  response.end(body ?? '');
});
server.listen(PORT, '0.0.0.0', () => {
  process.stdout.write('listens\n');
  reach();
});
