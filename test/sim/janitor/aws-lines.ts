/** How one program changes AWS, and who hears what it asks. */
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { AwsApi, AwsCall } from '../../../src/ports/aws-api.ts';
import type { AwsWrites } from '../../../src/ports/aws-writes.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { type Calls, STANDS_MS } from '../../../src/sim/programs/call.ts';
import type { SimulatedProgram } from '../../../src/sim/programs/program.ts';

/** A call of a program that changes AWS, as AWS carried it out or refused it. */
export interface AwsEntry {
  readonly program: string;
  /** When the program asked for it, true time, ms. */
  readonly calledMs: number;
  readonly call: AwsCall;
  readonly isDryRun: boolean;
  readonly isDone: boolean;
  /** True where something on the way has sent it once more. */
  readonly isCopy: boolean;
}

/** Who hears what a program asks AWS. */
export interface AwsListener {
  /** A list begins, has given its last page, or failed. */
  readonly onAsked: (program: string, call: AwsCall, how: 'began' | 'whole' | 'failed') => void;
  readonly onWrite: (entry: AwsEntry) => void;
}

/** AWS as it is asked, with all of it told to a listener. */
export function heardAws(inner: AwsApi, program: string, { onAsked }: AwsListener): AwsApi {
  return {
    region: inner.region,
    partition: inner.partition,
    requests: () => inner.requests(),
    async *pages(call, signal) {
      onAsked(program, call, 'began');
      try {
        yield* inner.pages(call, signal);
      } catch (error) {
        onAsked(program, call, 'failed');
        throw error;
      }
      onAsked(program, call, 'whole');
    },
  };
}

/** After so long a client gives up on an answer, ms. */
const UNANSWERED_MS = 3_000;

export interface AwsWritesLineOptions {
  readonly inner: AwsWrites;
  readonly program: SimulatedProgram;
  readonly calls: Calls;
  readonly delayMs: () => number;
  /** True time, ms. */
  readonly nowMs: () => number;
  readonly listener: AwsListener;
}

/** AWS as one program changes it. */
export function awsWritesLine(options: AwsWritesLineOptions): AwsWrites {
  const { inner, program, calls, delayMs, nowMs, listener } = options;
  const unanswered = async (): Promise<never> => {
    await program.clock.sleep(UNANSWERED_MS);
    throw new PortError({ failure: 'unclear', message: 'AWS did not answer; read it again.' });
  };
  return {
    requests: () => inner.requests(),
    write: async (call, asked) =>
      program.waiting(async () => {
        const calledMs = nowMs();
        const deed = calls.next(program.name, 'write', `${call.service}:${call.operation}`);
        if (deed === 'crash-before') program.kill();
        if (deed === 'stands') program.stand(STANDS_MS);
        await program.clock.sleep(delayMs());
        if (deed === 'lost-request') return unanswered();
        const send = async (isCopy: boolean): Promise<PromiseSettledResult<JsonObject>> => {
          const [outcome] = await Promise.allSettled([inner.write(call, asked)]);
          const isDone = outcome.status === 'fulfilled';
          const { isDryRun } = asked;
          listener.onWrite({ program: program.name, calledMs, call, isDryRun, isDone, isCopy });
          return outcome;
        };
        let sent = await send(false);
        if (deed === 'twice') sent = await send(true);
        if (deed === 'crash-after') program.kill();
        if (deed === 'lost-answer') return unanswered();
        await program.clock.sleep(delayMs());
        if (sent.status === 'rejected') throw sent.reason;
        return sent.value;
      }),
  };
}
