import type { AwsApi } from '../../ports/aws-api.ts';
import type { Calls } from './call.ts';
import type { SimulatedProgram } from './program.ts';

/** AWS as one program asks it. */
export function awsLine(inner: AwsApi, program: SimulatedProgram, calls: Calls): AwsApi {
  return {
    region: inner.region,
    partition: inner.partition,
    requests: () => inner.requests(),
    async *pages(call, signal) {
      const deed = calls.next(program.name, 'look', `${call.service}:${call.operation}`);
      const pages = inner.pages(call, signal)[Symbol.asyncIterator]();
      for (;;) {
        const page = await program.waiting(async () => pages.next());
        if (deed === 'crash-after') program.kill();
        if (page.done === true) return;
        yield page.value;
      }
    },
  };
}
