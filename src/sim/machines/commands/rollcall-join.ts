import type { JoinEvent } from '../../../controllers/join/event.ts';
import { JOIN_RULES } from '../../../controllers/join/rules.ts';
import { joinStateOf, newJoin } from '../../../controllers/join/state.ts';
import { JoinSupervisor, type JoinTools } from '../../../controllers/join/supervisor.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { CommandResult } from '../contract.ts';
import type { Host } from '../host.ts';
import type { Command, CommandParts } from './command.ts';
import { JoinEyes } from './join-eyes.ts';
import type { CommandCall } from './shell.ts';

type Done = (result: CommandResult) => void;

const ACTOR = 'rollcall join';
const STATE_PATH = '/var/lib/rollcall/join.json';
const NO_SIGNAL = new AbortController().signal;
/** The unit of a machine asks systemd for a restart of another one. */
const RESTART_MS = 200;

/** `rollcall join [--wait-for-cloud] -- COMMAND …` with the state machine of the product. */
export function rollcallJoin(
  parts: CommandParts,
  call: CommandCall,
  command: Command,
  done: Done,
): void {
  const at = call.words.indexOf('--');
  const options = call.words.slice(2, at < 0 ? undefined : at);
  const words = at < 0 ? [] : call.words.slice(at + 1);
  if (call.words[1] !== 'join' || words.length === 0)
    return done({ exitCode: 64, stdout: '', stderr: 'join needs a command: rollcall join -- …\n' });
  const running = runningOn(parts.host);
  const run = async (asked: readonly string[]): Promise<number> =>
    runOf(parts.host, command, { ...call, words: asked }, running);
  const rules = {
    ...JOIN_RULES,
    canReset: words[0] === 'kubeadm',
    waitsForCloud: options.includes('--wait-for-cloud'),
  };
  const { kernel } = parts.host.world;
  kernel.spawn(ACTOR, async () => {
    const { settings } = parts.host;
    const own = toolsOf(parts, { call, words, run, running });
    const tools = settings.joinTools(own, parts.host.instanceId);
    const nowMs = tools.clock.monotonicMs();
    const { instanceId, files } = parts.host;
    const kept = files.read(STATE_PATH);
    const state = kept === null ? null : joinStateOf(kept, instanceId, nowMs);
    const supervisor = new JoinSupervisor(tools, rules, state ?? newJoin(instanceId, nowMs));
    const { step } = await supervisor.run(NO_SIGNAL);
    files.remove(STATE_PATH);
    done({ exitCode: step?.do === 'joined' ? 0 : 1, stdout: '', stderr: '' });
  });
}

interface JoinCall {
  readonly call: CommandCall;
  readonly words: readonly string[];
  readonly run: (words: readonly string[]) => Promise<number>;
  readonly running: ReadonlySet<CommandCall>;
}

function toolsOf(parts: CommandParts, { call: { out }, words, run, running }: JoinCall): JoinTools {
  const { host, kubelet } = parts;
  const clock = clockOf(host);
  const eyes = new JoinEyes(parts, clock, () => running.size > 0);
  const random = host.world.kernel.random(`${ACTOR}/${host.instanceId}`);
  return {
    clock,
    random: { next: () => random.next() },
    look: async (wants) => eyes.look(wants),
    run: async () => run(words),
    reset: async () => run(['kubeadm', 'reset', '--force']),
    restartKubelet: async () => {
      await clock.sleep(RESTART_MS);
      kubelet.restart();
    },
    keep: async (text) => host.files.write(STATE_PATH, text),
    say: ({ message }: JoinEvent) => {
      host.note(ACTOR, 1, message);
      out(`${message}\n`);
    },
  };
}

/** Nothing that waits here goes on in another boot. */
function clockOf(host: Host): Clock {
  return {
    nowMs: () => host.nowMs(),
    monotonicMs: () => host.trueMs(),
    sleep: async (durationMs) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      host.after(durationMs, () => goOn(host, resolve));
      return promise;
    },
  };
}

/** Tells the kernel that something that waited goes on. */
function goOn({ world }: Host, resolve: () => void): void {
  world.kernel.spawn(ACTOR, async () => resolve());
}

/** Commands that were started and have not ended; none outlives its boot. */
type Running = Set<CommandCall>;

const RUNNING = new WeakMap<Host, { readonly bootedMs: number; readonly calls: Running }>();

function runningOn(host: Host): Running {
  const bootedMs = host.trueMs() - host.uptimeMs();
  const known = RUNNING.get(host);
  if (known?.bootedMs === bootedMs) return known.calls;
  const calls: Running = new Set();
  RUNNING.set(host, { bootedMs, calls });
  return calls;
}

/** COMMAND runs on where the join that started it is killed. */
async function runOf(
  host: Host,
  command: Command,
  call: CommandCall,
  running: Running,
): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  running.add(call);
  command(call, ({ exitCode, stdout, stderr }) => {
    running.delete(call);
    call.out(`${stdout}${stderr}`);
    goOn(host, () => resolve(exitCode));
  });
  return promise;
}
