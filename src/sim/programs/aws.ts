import type { AwsApi } from '../../ports/aws-api.ts';
import type { Calls } from './call.ts';
import type { SimulatedProcess } from './process.ts';

/** AWS as one process asks it. */
export function awsLine(inner: AwsApi, process: SimulatedProcess, calls: Calls): AwsApi {
  return {
    region: inner.region,
    partition: inner.partition,
    requests: () => inner.requests(),
    async *pages(call, signal) {
      const deed = calls.next(process.name, 'look', `${call.service}:${call.operation}`);
      const pages = inner.pages(call, signal)[Symbol.asyncIterator]();
      for (;;) {
        const page = await process.waiting(async () => pages.next());
        if (deed === 'crash-after') process.kill();
        if (page.done === true) return;
        yield page.value;
      }
    },
  };
}
