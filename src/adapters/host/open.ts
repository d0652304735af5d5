import { hostname } from 'node:os';
import type { Clock } from '../../ports/clock.ts';
import type { Host } from '../../ports/host.ts';
import { listNames, readTail, spaceOf } from './files.ts';
import { probeServer } from './probe.ts';
import { sendRequest } from './request.ts';
import { resolveName } from './resolve.ts';
import { runProgram } from './run.ts';

/** The machine that this program runs on; the clock ends what takes too long. */
export function openHost(clock: Clock): Host {
  return {
    readFile: readTail,
    listFolder: listNames,
    space: spaceOf,
    run: async (argv, limits) => runProgram(argv, limits, clock),
    request: async (request) => sendRequest(request, clock),
    probe: async (probe) => probeServer(probe, clock),
    resolve: async (name, timeoutMs) => resolveName(name, timeoutMs, clock),
    hostname,
  };
}
