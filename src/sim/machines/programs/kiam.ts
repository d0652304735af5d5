import { listAt } from '../../../evidence/json.ts';
import { secondStamp, slashedStamp } from '../logs/stamps.ts';
import type { MetadataAgent, MetadataAnswer, MetadataCaller } from '../network/metadata.ts';
import { annotationOf } from './credentials.ts';
import type { Program, ProgramRun } from './program.ts';

/** `--gateway-timeout-creation` of kiam 4.2. */
const DIAL_MS = 1000;
/** Sessions of the server (`--session-duration`). */
const SESSION_MS = 900_000;
/** What fetching a role takes once the server has it. */
const ANSWER_MS = 40;

/**
 * kiam-agent: adds the DNAT rule first, then dials the server for one second, and takes the rule
 * away when it ends (cmd/kiam/agent.go of 4.2).
 */
export const kiamAgent: Program = (run) => {
  const { host, metadata } = run;
  const say = (level: string, msg: string): void => run.print(logLine(run, level, msg));
  const agent: MetadataAgent = {
    program: 'kiam',
    hostInterface: hostInterfaceOf(run),
    answer: (caller) => answer(run, caller),
  };
  let isServing = false;
  say('info', 'configuring iptables');
  metadata.redirect(agent);
  run.print(`INFO: ${slashedStamp(host.nowMs())} parsed scheme: "dns"`);
  say('info', 'started prometheus metric listener 0.0.0.0:9620');
  const crash = host.faults
    .of('agent-crash')
    .some(({ image }) => 'kiam'.includes(image) || image.includes('kiam'));
  const serve = (): void => {
    isServing = true;
    say('info', 'listening :8181');
    metadata.changed();
  };
  run.after(20, () => {
    if (!crash && reachesServer(run)) serve();
  });
  run.after(DIAL_MS, () => {
    if (isServing) return;
    if (!crash && reachesServer(run)) return serve();
    say(
      'error',
      'error creating server gateway: error dialing grpc server: context deadline exceeded',
    );
    say('info', 'undoing iptables changes');
    metadata.undo(agent);
    say('error', 'fatal error: error dialing grpc server: context deadline exceeded');
    run.exit(1);
  });
  return (how) => {
    if (how === 'stopped') {
      say('info', 'undoing iptables changes');
      metadata.undo(agent);
    }
  };
};

/** Both agents take `docker0` where nothing else is said. */
function hostInterfaceOf({ container }: ProgramRun): string {
  const words = listAt(container, 'args').filter((word) => typeof word === 'string');
  const flag = words.find((word) => word.startsWith('--host-interface='));
  return flag?.slice('--host-interface='.length) ?? 'docker0';
}

function logLine({ host }: ProgramRun, level: string, msg: string, more: object = {}): string {
  return JSON.stringify({ level, msg, ...more, time: secondStamp(host.nowMs()) });
}

/** The server is asked by its service address, which must be translated and routed. */
function reachesServer({ neighbours, network }: ProgramRun): boolean {
  const server = neighbours.running('kiam-server');
  return server !== null && network.serviceWay(server.isOnHost) === 'delivered';
}

function answer(run: ProgramRun, caller: MetadataCaller): MetadataAnswer {
  const refused = (error: string, tookMs: number): MetadataAnswer => {
    const addr = `${caller.address}:${30000 + (tookMs % 9000)}`;
    run.print(
      logLine(run, 'error', `error processing request: ${error}`, {
        addr,
        method: 'GET',
        path: '/latest/meta-data/iam/security-credentials/',
        status: 500,
      }),
    );
    return { ok: false, error, tookMs };
  };
  if (!reachesServer(run))
    return refused('rpc error: code = DeadlineExceeded desc = context deadline exceeded', 1000);
  const namespace = caller.pod.slice(0, caller.pod.indexOf('/'));
  const permitted = run.neighbours.annotation(
    'Namespace',
    namespace,
    'iam.amazonaws.com/permitted',
  );
  if (permitted === null)
    return refused("assume role forbidden: namespace policy expression '(empty)' forbids role", 12);
  return { ok: true, identity: 'own-role', tookMs: ANSWER_MS, lifetimeMs: SESSION_MS };
}

/** kiam-server: answers agents as soon as it listens. */
export const kiamServer: Program = (run) => {
  run.print(logLine(run, 'info', 'starting server'));
  run.print(logLine(run, 'info', 'will serve on 0.0.0.0:443'));
  run.print(logLine(run, 'info', 'started cache controller'));
  return () => {};
};

/** kube2iam: refuses nothing at its start, adds the rule, and leaves it behind when it ends. */
export const kube2iam: Program = (run) => {
  const { host, metadata } = run;
  const say = (msg: string): void =>
    run.print(`time="${secondStamp(host.nowMs())}" level=info msg="${msg}"`);
  let isListening = false;
  const agent: MetadataAgent = {
    program: 'kube2iam',
    hostInterface: hostInterfaceOf(run),
    answer: (caller) => {
      if (!isListening) return { ok: false, error: 'connect: connection refused', tookMs: 2 };
      const role = annotationOf(run.neighbours.pod(caller.pod) ?? {}, 'iam.amazonaws.com/role');
      if (role === null)
        return { ok: false, error: `unable to find role for IP ${caller.address}`, tookMs: 3 };
      return { ok: true, identity: 'own-role', tookMs: 60, lifetimeMs: SESSION_MS };
    },
  };
  run.after(700, () => {
    isListening = true;
    metadata.redirect(agent);
    say('Listening on port 8181');
    metadata.changed();
  });
  return () => {
    isListening = false;
    metadata.changed();
  };
};
