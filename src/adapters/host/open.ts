import { hostname } from 'node:os';
import type { Host } from '../../ports/host.ts';
import { listNames, readTail } from './files.ts';
import { probeServer } from './probe.ts';
import { sendRequest } from './request.ts';
import { resolveName } from './resolve.ts';
import { runProgram } from './run.ts';

/** The machine that this program runs on. */
export function openHost(): Host {
  return {
    readFile: readTail,
    listFolder: listNames,
    run: runProgram,
    request: sendRequest,
    probe: probeServer,
    resolve: resolveName,
    hostname,
  };
}
