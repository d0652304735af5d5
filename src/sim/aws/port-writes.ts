/** Writes to the simulated AWS as one identity of the world makes them. */
import type { JsonObject } from '../../evidence/json.ts';
import {
  type AwsWriteOptions,
  type AwsWrites,
  DRY_RUN_ANSWER,
  failureOfAwsWrite,
  writeInput,
} from '../../ports/aws-writes.ts';
import type { AwsCall } from '../../ports/aws-api.ts';
import type { PortError } from '../../ports/port-error.ts';
import { actionOf } from './operation.ts';
import { type AwsPortOptions, failureOf, portError } from './port.ts';

export interface AwsWritesOptions
  extends Pick<AwsPortOptions, 'cloud' | 'identity' | 'clock' | 'latencyMs'> {
  /** Asked after every call was answered; what it answers is thrown in place of the answer. */
  readonly loses?: (action: string) => PortError | null;
}

export function awsWritesPort(options: AwsWritesOptions): AwsWrites {
  const counts = new Map<string, number>();
  return {
    requests: () => new Map(counts),
    write: async (call, asked) => {
      const input = writeInput(call, asked);
      const action = actionOf(call.service, call.operation);
      asked.signal?.throwIfAborted();
      counts.set(action, (counts.get(action) ?? 0) + 1);
      const latencyMs = options.latencyMs?.() ?? 0;
      if (latencyMs > 0) await options.clock.sleep(latencyMs, asked.signal);
      return answered(options, { ...call, input }, asked);
    },
  };
}

/** @throws PortError */
function answered(
  { cloud, identity, loses }: AwsWritesOptions,
  call: AwsCall,
  { isDryRun }: AwsWriteOptions,
): JsonObject {
  const action = actionOf(call.service, call.operation);
  const answer = cloud.answer(identity, call);
  const lost = loses?.(action) ?? null;
  if (lost !== null) throw lost;
  if (answer.ok) return answer.output;
  const { refusal } = answer;
  if (isDryRun && refusal.code === DRY_RUN_ANSWER) return {};
  const own = failureOfAwsWrite({ ...refusal, operation: call.operation });
  const failure = own ?? failureOf(refusal);
  throw portError(refusal, failure === 'unavailable' && !isDryRun ? 'unclear' : failure, action);
}
