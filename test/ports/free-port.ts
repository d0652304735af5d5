/** Ports of 127.0.0.1 for tests, none of which the system hands out by itself. */
import { createServer } from 'node:net';

/** Below the ports that outgoing connections and `listen(0)` take (Linux: from 32,768). */
const PORTS_FROM = 20_000;
const PORTS_TO = 32_000;
const PORT_TRIES = 100;
/** Nothing of a test listens below `PORTS_FROM`, so a free port there stays closed. */
const CLOSED_PORTS_FROM = 19_000;

/** @returns a port of 127.0.0.1 that nobody listened on a moment ago */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORT_TRIES; tries++) {
    const port = PORTS_FROM + Math.floor(Math.random() * (PORTS_TO - PORTS_FROM));
    if (await isFree(port)) return port;
  }
  throw new Error(`no port of 127.0.0.1 from ${PORTS_FROM} to ${PORTS_TO} is free`);
}

/**
 * @returns a port of 127.0.0.1 at which nothing listens, nor will a server of another test file. A
 * port that was taken and given back is no such port: the next server may be given the same one.
 */
export async function closedPort(): Promise<number> {
  for (let port = CLOSED_PORTS_FROM; port < PORTS_FROM; port++) {
    if (await isFree(port)) return port;
  }
  throw new Error(`every port of 127.0.0.1 from ${CLOSED_PORTS_FROM} to ${PORTS_FROM} is taken`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
