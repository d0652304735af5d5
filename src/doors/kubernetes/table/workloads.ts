import { at, type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import { ageOf, humanDuration } from './age.ts';
import {
  age,
  type Cell,
  type Column,
  columns,
  count,
  flag,
  length,
  name,
  namesAt,
  NONE,
  numberAt,
  objectsAt,
  orUnset,
  pairs,
  selector,
  text,
} from './column.ts';

const TEMPLATE = 'spec.template.spec.containers';
const containers = namesAt(TEMPLATE);
const images = namesAt(TEMPLATE, 'image');

function wanted(object: JsonObject): number {
  const replicas = at(object, 'spec.replicas');
  return typeof replicas === 'number' ? replicas : 0;
}

const readyOfWanted: Cell = (object) =>
  `${numberAt(object, 'status.readyReplicas')}/${wanted(object)}`;

export const DAEMON_SET: readonly Column[] = columns(
  'Name/name | Desired:integer | Current:integer | Ready:integer | Up-to-date:integer | Available:integer | Node Selector | Age | Containers*1 | Images*1 | Selector*1',
  name,
  count('status.desiredNumberScheduled'),
  count('status.currentNumberScheduled'),
  count('status.numberReady'),
  count('status.updatedNumberScheduled'),
  count('status.numberAvailable'),
  (object) => pairs(at(object, 'spec.template.spec.nodeSelector')),
  age,
  containers,
  images,
  selector('spec.selector'),
);

export const DEPLOYMENT: readonly Column[] = columns(
  'Name/name | Ready | Up-to-date | Available | Age | Containers*1 | Images*1 | Selector*1',
  name,
  readyOfWanted,
  count('status.updatedReplicas'),
  count('status.availableReplicas'),
  age,
  containers,
  images,
  selector('spec.selector'),
);

const REPLICAS = 'Desired:integer | Current:integer | Ready:integer | Age';

export const REPLICA_SET: readonly Column[] = columns(
  `Name/name | ${REPLICAS} | Containers*1 | Images*1 | Selector*1`,
  name,
  wanted,
  count('status.replicas'),
  count('status.readyReplicas'),
  age,
  containers,
  images,
  selector('spec.selector'),
);

export const REPLICATION_CONTROLLER: readonly Column[] = columns(
  `Name/name | ${REPLICAS} | Containers*1 | Images*1 | Selector*1`,
  name,
  wanted,
  count('status.replicas'),
  count('status.readyReplicas'),
  age,
  containers,
  images,
  (object) => pairs(at(object, 'spec.selector')),
);

export const STATEFUL_SET: readonly Column[] = columns(
  'Name/name | Ready | Age | Containers*1 | Images*1',
  name,
  readyOfWanted,
  age,
  containers,
  images,
);

function revisionOwner(object: JsonObject): Json {
  const owner = objectsAt(object, 'metadata.ownerReferences').find(
    (one) => at(one, 'controller') === true,
  );
  if (owner === undefined) return NONE;
  const group = (textAt(owner, 'apiVersion') ?? '').split('/');
  const kind = (textAt(owner, 'kind') ?? '').toLowerCase();
  const suffix = group.length > 1 ? `.${group[0] ?? ''}` : '';
  return `${kind}${suffix}/${textAt(owner, 'name') ?? ''}`;
}

export const CONTROLLER_REVISION: readonly Column[] = columns(
  'Name/name | Controller | Revision | Age',
  name,
  revisionOwner,
  (object) => String(numberAt(object, 'revision')),
  age,
);

function jobStatus(job: JsonObject): Json {
  const holds = (type: string): boolean =>
    objectsAt(job, 'status.conditions').some(
      (one) => textAt(one, 'type') === type && textAt(one, 'status') === 'True',
    );
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if (textAt(job, 'metadata.deletionTimestamp') !== null) return 'Terminating';
  if (holds('Suspended')) return 'Suspended';
  if (holds('FailureTarget')) return 'FailureTarget';
  return holds('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function completions(job: JsonObject): Json {
  const succeeded = numberAt(job, 'status.succeeded');
  const wantedOf = at(job, 'spec.completions');
  if (typeof wantedOf === 'number') return `${succeeded}/${wantedOf}`;
  const parallel = numberAt(job, 'spec.parallelism');
  return parallel > 1 ? `${succeeded}/1 of ${parallel}` : `${succeeded}/1`;
}

function jobDuration(job: JsonObject, nowMs: number): Json {
  const start = textAt(job, 'status.startTime');
  if (start === null) return '';
  const end = textAt(job, 'status.completionTime');
  return end === null ? ageOf(start, nowMs) : humanDuration(Date.parse(end) - Date.parse(start));
}

export const JOB: readonly Column[] = columns(
  'Name/name | Status | Completions | Duration | Age | Containers*1 | Images*1 | Selector*1',
  name,
  jobStatus,
  completions,
  jobDuration,
  age,
  containers,
  images,
  selector('spec.selector'),
);

const JOB_TEMPLATE = 'spec.jobTemplate.spec.template.spec.containers';

export const CRON_JOB: readonly Column[] = columns(
  'Name/name | Schedule | Timezone | Suspend:boolean | Active:integer | Last Schedule | Age | Containers*1 | Images*1 | Selector*1',
  name,
  text('spec.schedule'),
  text('spec.timeZone', NONE),
  (object) => (at(object, 'spec.suspend') === true ? 'True' : 'False'),
  length('status.active'),
  (object, nowMs) => {
    const last = textAt(object, 'status.lastScheduleTime');
    return last === null ? NONE : ageOf(last, nowMs);
  },
  age,
  namesAt(JOB_TEMPLATE),
  namesAt(JOB_TEMPLATE, 'image'),
  selector('spec.jobTemplate.spec.selector'),
);

function allowed(path: string): Cell {
  return (object) => textAt(object, path) ?? 'N/A';
}

export const DISRUPTION_BUDGET: readonly Column[] = columns(
  'Name/name | Min Available | Max Unavailable | Allowed Disruptions:integer | Age',
  name,
  allowed('spec.minAvailable'),
  allowed('spec.maxUnavailable'),
  count('status.disruptionsAllowed'),
  age,
);

export const POD_TEMPLATE: readonly Column[] = columns(
  'Name/name | Containers | Images | Pod Labels',
  name,
  namesAt('template.spec.containers'),
  namesAt('template.spec.containers', 'image'),
  (object) => pairs(at(object, 'template.metadata.labels')),
);

export const PRIORITY_CLASS: readonly Column[] = columns(
  'Name/name | Value:integer | Global-Default:boolean | Age | PreemptionPolicy',
  name,
  count('value'),
  flag('globalDefault'),
  age,
  text('preemptionPolicy', 'PreemptLowerPriority'),
);

function metrics(object: JsonObject): Json {
  const [metric] = objectsAt(object, 'spec.metrics');
  if (metric === undefined) return NONE;
  const own = textAt(metric, 'resource.name') ?? (textAt(metric, 'type') ?? '').toLowerCase();
  const target = textAt(metric, 'resource.target.averageUtilization');
  return target === null ? `${own}: <unknown>` : `${own}: <unknown>/${target}%`;
}

export const AUTOSCALER: readonly Column[] = columns(
  'Name/name | Reference | Targets | MinPods | MaxPods | Replicas | Age',
  name,
  (object) =>
    `${textAt(object, 'spec.scaleTargetRef.kind') ?? ''}/${textAt(object, 'spec.scaleTargetRef.name') ?? ''}`,
  metrics,
  orUnset('spec.minReplicas'),
  count('spec.maxReplicas'),
  count('status.currentReplicas'),
  age,
);
