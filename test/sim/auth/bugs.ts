/** Mistakes that whoever repairs aws-auth easily makes, each at one of its ports. */
import { isObject, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { KubeWrites } from '../../../src/ports/kube-writes.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { ADMIN } from '../../controllers/fix/scene.ts';
import type { AuthPlan, AuthPortBug } from './plan.ts';
import { RENEW_MS } from './rules.ts';

export interface AuthBug {
  /** Of the list of kinds where it has a number there. */
  readonly id: string;
  readonly caughtBy: readonly string[];
  readonly bug: AuthPortBug;
  readonly plan?: () => Partial<AuthPlan>;
}

const MINUTE_MS = 60_000;

/** The text of a patch is changed on its way. */
function patching(change: (patch: JsonObject) => JsonObject): AuthPortBug {
  return ({ writes }) => {
    const patch: KubeWrites['patch'] = async (resource, name, asked, options) =>
      writes.patch(
        resource,
        name,
        asked.type === 'merge' && resource.plural === 'configmaps'
          ? { ...asked, change: change(asked.change) }
          : asked,
        options,
      );
    return { writes: { ...writes, patch } };
  };
}

function retold(tell: (text: string) => string): AuthPortBug {
  return patching((change) => {
    const mapRoles = tell(textAt(change, 'data.mapRoles') ?? '');
    return { ...change, data: { mapRoles } };
  });
}

function withoutVersion(change: JsonObject): JsonObject {
  const { metadata } = change;
  const { resourceVersion: _, ...rest } = isObject(metadata) ? metadata : {};
  return { ...change, metadata: rest };
}

const deniedIsAbsent: AuthPortBug = ({ api }) => ({
  api: {
    ...api,
    get: async (...words) =>
      api.get(...words).catch((error: unknown) => {
        if (!(error instanceof PortError) || error.failure !== 'denied') throw error;
        throw new PortError({ failure: 'not-found', message: 'There is none.' });
      }),
  },
});

const unreadableIsEmpty: AuthPortBug = ({ api }) => ({
  api: {
    ...api,
    get: async (...words) => {
      const found = await api.get(...words);
      const text = textAt(found, 'data.mapRoles') ?? '';
      return text.includes('\t') ? { ...found, data: { mapRoles: '' } } : found;
    },
  },
});

const sentLate: AuthPortBug = ({ writes, sleep }) => ({
  writes: {
    ...writes,
    patch: async (...words) => {
      await sleep(RENEW_MS + 5_000);
      return writes.patch(...words);
    },
  },
});

/** The Lease is not renewed any more once a restoration is intended. */
function leaseLost(): Partial<AuthPlan> {
  let isLost = false;
  return {
    fate({ what }) {
      isLost ||= what.startsWith('append action-intended');
      return isLost && what.includes('leases') ? 'lost-request' : null;
    },
  };
}

/** The only replica dies as it has put something back, and that is taken away again. */
function killedOnce(): Partial<AuthPlan> {
  let isKilled = false;
  return {
    replicas: 1,
    moves: [
      { atMs: 5 * MINUTE_MS, move: 'overwrite' },
      { atMs: 12 * MINUTE_MS, move: 'overwrite' },
    ],
    wholeMs: 25 * MINUTE_MS,
    restores: false,
    fate({ what }) {
      if (isKilled || !what.startsWith('append action-ended')) return null;
      isKilled = true;
      return 'crash-after';
    },
  };
}

export const AUTH_BUGS: readonly AuthBug[] = [
  {
    id: 'P22',
    caughtBy: ['I-17'],
    bug: retold((text) => text.replace(ADMIN, '')),
  },
  {
    id: 'comments are lost',
    caughtBy: ['I-17'],
    bug: retold((text) => text.replaceAll(/^#.*\n/gm, '')),
  },
  {
    id: 'a node becomes an administrator',
    caughtBy: ['I-17'],
    bug: retold((text) => text.replace('- system:nodes', '- system:nodes\n    - system:masters')),
  },
  { id: 'the version is left out', caughtBy: ['I-18'], bug: patching(withoutVersion) },
  {
    id: 'P19',
    caughtBy: ['I-18'],
    bug: deniedIsAbsent,
    plan: () => ({
      denied: { atMs: 5.5 * MINUTE_MS, lastsMs: 5 * MINUTE_MS },
      restores: false,
    }),
  },
  {
    id: 'a text that nobody can read is empty',
    caughtBy: ['I-18'],
    bug: unreadableIsEmpty,
    plan: () => ({ moves: [{ atMs: 5 * MINUTE_MS, move: 'break' }], restores: false }),
  },
  {
    id: 'P42',
    caughtBy: ['I-16'],
    bug: sentLate,
    plan: () => ({ ...leaseLost(), restores: false }),
  },
  {
    id: 'P51',
    caughtBy: ['I-35'],
    bug: ({ writes }) => ({
      writes: {
        ...writes,
        patch: async (...[kind, name, patch]) => writes.patch(kind, name, patch),
      },
    }),
    plan: () => ({ isDryRun: true }),
  },
  {
    id: 'what was put back is forgotten with the program',
    caughtBy: ['I-15'],
    bug: ({ recorder }) => ({ recorder: { ...recorder, notes: async () => new Map() } }),
    plan: killedOnce,
  },
  {
    id: 'nothing is ever sent',
    caughtBy: ['L-05'],
    bug: ({ writes }) => ({ writes: { ...writes, patch: async () => ({}) } }),
  },
];
