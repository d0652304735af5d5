/** Mistakes that a cleaner of interfaces easily makes, each at one of its ports. */
import { isObject, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { AwsApi, AwsCall } from '../../../src/ports/aws-api.ts';
import type { AwsWrites } from '../../../src/ports/aws-writes.ts';
import { PortError, type PortFailure } from '../../../src/ports/port-error.ts';
import { JANITOR_FAULTS } from './faults.ts';
import { CLUSTER, ROOM } from './interface-world.ts';
import { RENEW_MS } from './leases.ts';
import { readId } from './looks.ts';
import type { JanitorPlan, JanitorPortBug } from './plan.ts';

export interface JanitorBug {
  /** Of the list of kinds where it has a number there. */
  readonly id: string;
  /** The class of faults in which it shows; null where it shows without any. */
  readonly fault: string | null;
  readonly caughtBy: readonly string[];
  readonly bug: JanitorPortBug;
  /** Another one for each run; the quiet one without. */
  readonly plan?: () => Partial<JanitorPlan>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CREATED = 'node.k8s.amazonaws.com/createdAt';
const ALL_MS = { atMs: 25 * MINUTE_MS, lastsMs: 45 * MINUTE_MS };

function failureOf(error: unknown): PortFailure | null {
  return error instanceof PortError ? error.failure : null;
}

/** A plan in which one fault lasts while the interfaces are looked at. */
function during(what: string, times = ALL_MS): () => Partial<JanitorPlan> {
  const fault = JANITOR_FAULTS.find((one) => one.what === what);
  if (fault === undefined) throw new RangeError(`no such fault: ${what}`);
  return () => ({ faults: [{ fault, ...times }] });
}

/** The Lease is not renewed any more from the moment in which a deletion is intended. */
function leaseLostAtDeletion(): Partial<JanitorPlan> {
  let isLost = false;
  return {
    fate({ what }) {
      isLost ||= what.startsWith('append action-intended');
      return isLost && what.endsWith('leases') ? 'lost-request' : null;
    },
  };
}

function isOfInterfaces({ operation }: AwsCall): boolean {
  return operation === 'DescribeNetworkInterfaces';
}

/** Interfaces as they look to a reader that takes something for something else. */
function seeing(aws: AwsApi, change: (item: JsonObject) => JsonObject): Partial<{ aws: AwsApi }> {
  const pages: AwsApi['pages'] = async function* (call, signal) {
    for await (const page of aws.pages(call, signal)) {
      const items = listAt(page, 'NetworkInterfaces').filter(isObject);
      yield isOfInterfaces(call) ? { ...page, NetworkInterfaces: items.map(change) } : page;
    }
  };
  return { aws: { ...aws, pages } };
}

type Tags = Readonly<Record<string, string>>;

function withTags(item: JsonObject, change: (tags: Tags) => Tags): JsonObject {
  const known = listAt(item, 'TagSet').map((tag) => [textAt(tag, 'Key'), textAt(tag, 'Value')]);
  const tags = change(Object.fromEntries(known));
  return { ...item, TagSet: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) };
}

function stampedAnew(item: JsonObject): JsonObject {
  return withTags(item, (tags) => {
    const isRead = (tags[CREATED] ?? '').includes('T');
    return isRead ? tags : { ...tags, [CREATED]: '0001-01-01T00:00:00Z' };
  });
}

function older(item: JsonObject): JsonObject {
  return withTags(item, (tags) => {
    const createdMs = Date.parse(tags[CREATED] ?? '');
    const isRead = (tags[CREATED] ?? '').includes('T');
    return isRead ? { ...tags, [CREATED]: stampOf(createdMs - HOUR_MS) } : tags;
  });
}

function stampOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A list that fails is taken for one that ends there. */
function endingWhere(aws: AwsApi, operation: string): Partial<{ aws: AwsApi }> {
  const pages: AwsApi['pages'] = async function* (call, signal) {
    try {
      yield* aws.pages(call, signal);
    } catch (error) {
      if (failureOf(error) === null || call.operation !== operation) throw error;
    }
  };
  return { aws: { ...aws, pages } };
}

const fullIsUrgent: JanitorPortBug = ({ aws }, { cloud, subnetId }) =>
  seeing(aws, (item) => {
    const isFull = (cloud.controls.account.books.get(subnetId)?.free ?? 0) < ROOM;
    return isFull ? older(item) : item;
  });

/** All states are listed, and each is taken for free. */
const anyStateIsFree: JanitorPortBug = ({ aws }) => {
  const asked: AwsApi = {
    ...aws,
    pages: (call, signal) => aws.pages(withoutStatus(call), signal),
  };
  return seeing(asked, (item) => {
    const { Attachment: _, ...rest } = item;
    return { ...rest, Status: 'available' };
  });
};

function withoutStatus(call: AwsCall): AwsCall {
  const filters = listAt(call.input, 'Filters').filter((one) => textAt(one, 'Name') !== 'status');
  return { ...call, input: { ...call.input, Filters: [...filters] } };
}

function writing(
  awsWrites: AwsWrites,
  write: (send: () => Promise<JsonObject>, call: AwsCall) => Promise<JsonObject>,
): Partial<{ awsWrites: AwsWrites }> {
  const changed: AwsWrites['write'] = async (call, asked) =>
    write(async () => awsWrites.write(call, asked), call);
  return { awsWrites: { ...awsWrites, write: changed } };
}

const inUseIsTriedAgain: JanitorPortBug = ({ awsWrites }) =>
  writing(awsWrites, async (send) => {
    try {
      return await send();
    } catch (error) {
      if (failureOf(error) !== 'conflict') throw error;
      return send();
    }
  });

/** What is read right before is what was listed. */
const neverReadAgain: JanitorPortBug = ({ aws }) => {
  const listed = new Map<string, JsonObject>();
  const pages: AwsApi['pages'] = async function* (call, signal) {
    const id = readId(call);
    const known = id === null ? undefined : listed.get(id);
    if (known !== undefined && id !== null) {
      listed.delete(id);
      yield { NetworkInterfaces: [known] };
      return;
    }
    for await (const page of aws.pages(call, signal)) {
      for (const item of listAt(page, 'NetworkInterfaces').filter(isObject))
        if (id === null) listed.set(textAt(item, 'NetworkInterfaceId') ?? '', item);
      yield page;
    }
  };
  return { aws: { ...aws, pages } };
};

const deniedIsEmpty: JanitorPortBug = ({ kube }) => ({
  kube: {
    ...kube,
    async *list(resource, options) {
      try {
        yield* kube.list(resource, options);
      } catch (error) {
        if (failureOf(error) !== 'denied') throw error;
        yield { items: [], resourceVersion: '1' };
      }
    },
  },
});

const sentLate: JanitorPortBug = ({ awsWrites, clock }) =>
  writing(awsWrites, async (send) => {
    await clock.sleep(RENEW_MS + 5_000);
    return send();
  });

const unrecordedDone: JanitorPortBug = ({ recorder }) => ({
  recorder: {
    ...recorder,
    append: async (events, notes) =>
      recorder.append(events, notes).catch((error: unknown) => {
        if (failureOf(error) === null) throw error;
        return 0;
      }),
  },
});

const LATER_PAGES = 'the later pages of its lists fail';

/** One of each kind; those that have a fault show only while it lasts. */
export const JANITOR_BUGS: readonly JanitorBug[] = [
  {
    id: 'P8',
    fault: null,
    caughtBy: ['I-21'],
    bug: ({ aws }) => seeing(aws, stampedAnew),
  },
  {
    id: 'P19',
    fault: 'F07',
    caughtBy: ['I-22'],
    bug: deniedIsEmpty,
    plan: during('its lists are refused with 403'),
  },
  {
    id: 'P23',
    fault: 'F58',
    caughtBy: ['I-22'],
    bug: ({ aws }) => endingWhere(aws, 'DescribeNetworkInterfaces'),
    plan: during(LATER_PAGES),
  },
  {
    id: 'P38',
    fault: 'F52',
    caughtBy: ['I-22'],
    bug: ({ aws }) => endingWhere(aws, 'DescribeInstances'),
    plan: during('EC2 throttles ec2:DescribeInstances'),
  },
  {
    id: 'P42',
    fault: null,
    caughtBy: ['I-16'],
    bug: sentLate,
    plan: leaseLostAtDeletion,
  },
  {
    id: 'P48',
    fault: 'recorder',
    caughtBy: ['I-30'],
    bug: unrecordedDone,
    plan: during('the recorder is away'),
  },
  {
    id: 'P51',
    fault: null,
    caughtBy: ['I-35'],
    bug: ({ awsWrites }) => ({
      awsWrites: {
        ...awsWrites,
        write: async (call, asked) => awsWrites.write(call, { ...asked, isDryRun: false }),
      },
    }),
    plan: () => ({ isDryRun: true }),
  },
  {
    id: 'where a subnet is full, every interface is old',
    fault: 'F57',
    caughtBy: ['I-20'],
    bug: fullIsUrgent,
    plan: during('a subnet has no address left', { atMs: 9 * MINUTE_MS, lastsMs: HOUR_MS }),
  },
  {
    id: 'an interface in any state is free',
    fault: 'F59',
    caughtBy: ['I-20'],
    bug: anyStateIsFree,
    plan: during('what it has read is attached again'),
  },
  {
    id: 'what is refused as in use is sent again at once',
    fault: 'F58',
    caughtBy: ['I-15'],
    bug: inUseIsTriedAgain,
    plan: during('what is free is refused as in use'),
  },
  {
    id: 'an interface is not read again before it goes',
    fault: 'F59',
    caughtBy: ['I-20'],
    bug: neverReadAgain,
    plan: during('what it has read is attached again'),
  },
  {
    id: 'interfaces of every cluster are ours',
    fault: null,
    caughtBy: ['I-20'],
    bug: ({ aws }) =>
      seeing(aws, (item) =>
        withTags(item, (tags) => ({ ...tags, 'cluster.k8s.amazonaws.com/name': CLUSTER })),
      ),
  },
  {
    id: 'the clock of the API server is not looked at',
    fault: null,
    caughtBy: ['I-40'],
    bug: ({ kube }) => ({ kube: { ...kube, skewMs: () => 0 } }),
    plan: () => ({ skewMs: 2 * HOUR_MS }),
  },
  {
    id: 'deletions are never sent',
    fault: null,
    caughtBy: ['L-06'],
    bug: ({ awsWrites }) => ({ awsWrites: { ...awsWrites, write: async () => ({}) } }),
  },
];
