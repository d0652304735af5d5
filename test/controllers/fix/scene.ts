/** An API server and an AWS in memory, and a fix between them. */
import type { AwsCall } from '../../../src/ports/aws-api.ts';
import type { AwsWrites } from '../../../src/ports/aws-writes.ts';
import type { FixTools, UndoNote } from '../../../src/controllers/fix/fix.ts';
import type { MapEditor } from '../../../src/controllers/fix/auth/map-editor.ts';
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { Action } from '../../../src/ports/action.ts';
import type { PortError } from '../../../src/ports/port-error.ts';
import { readRoles, withoutInserted, withRole } from '../../../src/readers/kube/aws-auth-edit.ts';
import { perform } from '../../../src/runtime/perform.ts';
import { performAws } from '../../../src/runtime/perform-aws.ts';
import { type FakeAws, fakeAws } from '../../ports/fake/aws-api.ts';
import { FakeKubeApi } from '../../ports/fake/kube-api.ts';
import { FakeKubeWrites } from '../../ports/fake/kube-writes.ts';
import { createFakeRecorder } from '../../ports/fake/recorder.ts';
import { CONFIG_MAPS } from '../../ports/kube-api.contract.ts';

export const EDITOR: MapEditor = { readRoles, withRole, withoutInserted };
export const ROLE = 'arn:aws:iam::111122223333:role/nodes';
export const ADMIN = '- rolearn: arn:aws:iam::111122223333:role/Admins\n  username: admin\n';

export interface Scene {
  readonly api: FakeKubeApi;
  readonly writes: FakeKubeWrites;
  readonly aws: FakeAws;
  readonly recorder: ReturnType<typeof createFakeRecorder>;
  readonly notes: UndoNote[];
  /** Calls that changed AWS. */
  readonly calls: AwsCall[];
  /** Thrown by the next calls that change AWS, after they took effect. */
  readonly lost: PortError[];
  /** Happens right before each write to the API server, once each. */
  readonly before: (() => void)[];
  readonly tools: (isDryRun?: boolean) => FixTools;
  /** `mapRoles` as it is now; null where there is no ConfigMap. */
  readonly mapRoles: () => Promise<string | null>;
  readonly put: (mapRoles: string, more?: JsonObject) => void;
}

/** Time passes at once: what waits goes on at its next turn. */
function quickClock() {
  let passedMs = 0;
  return {
    nowMs: () => passedMs,
    monotonicMs: () => passedMs,
    sleep: async (durationMs: number) => {
      passedMs += durationMs;
    },
  };
}

export function scene(): Scene {
  const clock = quickClock();
  const api = new FakeKubeApi({ clock });
  api.serve(CONFIG_MAPS);
  const writes = new FakeKubeWrites(api);
  const aws = fakeAws({ clock, region: 'us-west-2' });
  aws.answer('cloudtrail:LookupEvents', () => [{ Events: [] }]);
  const recorder = createFakeRecorder();
  const [notes, calls, lost, before]: [UndoNote[], AwsCall[], PortError[], (() => void)[]] = [
    [],
    [],
    [],
    [],
  ];
  const awsWrites: AwsWrites = {
    requests: () => new Map(),
    write: async (call, { isDryRun }) => {
      if (!isDryRun) calls.push(call);
      const error = lost.shift();
      if (error !== undefined) throw error;
      return {};
    },
  };
  const shared = { recorder, clock, cluster: 'one' };
  const tools = (isDryRun = false): FixTools => ({
    kube: api,
    aws,
    clock,
    random: { next: () => 0.5 },
    perform: async (action: Action) => {
      before.shift()?.();
      return perform(action, { api, writes, ...shared }, { isDryRun });
    },
    performAws: async (action, tookEffect, isAllowed) =>
      performAws(action, { writes: awsWrites, ...shared, isDryRun, isAllowed }, tookEffect),
    keep: async (note) => {
      notes.push(note);
    },
  });
  const place = { namespace: 'kube-system', name: 'aws-auth' };
  return {
    api,
    writes,
    aws,
    recorder,
    notes,
    calls,
    lost,
    before,
    tools,
    mapRoles: async () => {
      const found = await api.get(CONFIG_MAPS, place).catch(() => null);
      return found === null ? null : textAt(found, 'data.mapRoles');
    },
    put: (mapRoles, more = {}) => {
      api.put(CONFIG_MAPS, { metadata: place, data: { mapRoles, ...more } });
    },
  };
}
