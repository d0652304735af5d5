/** The keeper of aws-auth on an API server in memory: who writes, what, when, and what people read. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAuthKeeper } from '../../../src/apps/controller/auth.ts';
import { MachineNotes } from '../../../src/controllers/auth/machine-notes.ts';
import type { AuthMode } from '../../../src/controllers/auth/keeper.ts';
import type { KubeWrites } from '../../../src/ports/kube-writes.ts';
import type { EventNote } from '../../../src/runtime/events/event-correlator.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { Logger } from '../../../src/runtime/log/logger.ts';
import { MetricsRegistry } from '../../../src/runtime/metrics/registry.ts';
import { CONFIG_MAPS } from '../../ports/kube-api.contract.ts';
import { ADMIN, ROLE, type Scene, scene } from '../fix/scene.ts';

const NODES = `- rolearn: ${ROLE}
  username: system:node:{{EC2PrivateDNSName}}
  groups:
    - system:bootstrappers
    - system:nodes
`;
const MINUTE_MS = 60_000;

interface Played {
  readonly at: Scene;
  readonly lines: string[];
  readonly notes: EventNote[];
  readonly metrics: () => string;
  readonly words: MachineNotes;
}

interface Play {
  readonly mode?: Exclude<AuthMode, 'off'>;
  readonly isDryRun?: boolean;
  /** From this moment on it leads; null for never. */
  readonly leadsFromMs?: number | null;
  /** What happens at which moment, ms. */
  readonly moves: readonly (readonly [atMs: number, (at: Scene) => void])[];
  readonly untilMs?: number;
  /** Where an earlier start of the program ended. */
  readonly before?: Played;
  /** Kills it at its first write. */
  readonly isKilled?: boolean;
}

/** Plays looks every 30 s; the machines of the role are shut out from the second minute on. */
async function play({
  mode = 'restore',
  isDryRun = false,
  leadsFromMs = 0,
  moves,
  untilMs = 10 * MINUTE_MS,
  before,
  isKilled = false,
}: Play): Promise<Played> {
  const at = before?.at ?? scene();
  const words = new MachineNotes();
  const [lines, notes]: [string[], EventNote[]] = [[], []];
  const registry = new MetricsRegistry();
  const tools = at.tools();
  const stop = new AbortController();
  const left = [...moves];
  let isLeading = false;
  const clock = {
    ...tools.clock,
    sleep: async (ms: number) => {
      await tools.clock.sleep(ms);
      const nowMs = tools.clock.nowMs();
      while ((left[0]?.[0] ?? Infinity) <= nowMs) left.shift()?.[1](at);
      isLeading = leadsFromMs !== null && nowMs >= leadsFromMs;
      if (nowMs >= 2 * MINUTE_MS)
        keeper.setShutOut([{ arn: ROLE, type: 'linux', machines: ['i-1'] }]);
      if (nowMs >= untilMs) stop.abort();
    },
  };
  const keeper = createAuthKeeper(
    { mode, identity: 'r1', kube: at.api, clock, isDryRun: () => isDryRun },
    {
      writes: isKilled ? killed(at) : at.writes,
      random: { next: () => 0.5 },
      recorder: at.recorder,
      log: new Logger({ clock, level: () => 'info', write: (text) => lines.push(text) }),
      machineNotes: words,
      registry,
      publish: (note) => notes.push(note),
    },
  );
  const leading = keeper.lead({ signal: stop.signal, isLeading: () => isLeading });
  await keeper.run(stop.signal);
  await leading;
  return { at, lines, notes, metrics: () => registry.text(), words };
}

/** Writes take effect, and the program hears of none. */
function killed({ writes }: Scene): KubeWrites {
  return {
    create: async (...words) => writes.create(...words),
    update: async (...words) => writes.update(...words),
    patch: async (...words) => {
      await writes.patch(...words);
      throw new Error('killed');
    },
    delete: async (...words) => writes.delete(...words),
    evict: async (...words) => writes.evict(...words),
  };
}

const OVERWRITTEN: Play['moves'] = [
  [1, (at) => at.put(`${ADMIN}${NODES}`)],
  [MINUTE_MS, (at) => at.put(`# by terraform\n${ADMIN}`)],
];

describe('a mapping that another tool took away', () => {
  test('is put back behind what the tool wrote, byte for byte', async () => {
    const { at, lines, notes, metrics } = await play({ moves: OVERWRITTEN });
    const text = (await at.mapRoles()) ?? '';
    assert.ok(text.startsWith(`# by terraform\n${ADMIN}`), text);
    assert.match(text, /rolearn: arn:aws:iam::111122223333:role\/nodes/);
    assert.match(
      lines.join('\n'),
      /does not map \S+role\/nodes as a node any more; shut out: i-1; it is put back/,
    );
    assert.deepEqual(
      notes.map(({ reason }) => reason),
      ['NodeRoleUnmapped', 'NodeRoleMapped'],
    );
    assert.match(metrics(), /rollcall_auth_restorations_total\{outcome="written"\} 1/);
    assert.match(metrics(), /rollcall_lost_role_mappings\{machines="shut-out"\} 0/);
  });

  test('is recorded before it is put back, with what takes it back', async () => {
    const { at } = await play({ moves: OVERWRITTEN });
    const rows = await at.recorder.read({ cluster: at.api.server, limit: 9 });
    assert.deepEqual(rows.map(({ kind }) => kind).toSorted(), ['action-ended', 'action-intended']);
    const notes = await at.recorder.notes(at.api.server);
    assert.ok(notes.has('fix/auth-r1-1'));
  });

  test('is put back once an hour, and then left to whoever takes it away', async () => {
    const moves = [...OVERWRITTEN, [5 * MINUTE_MS, (at: Scene) => at.put(ADMIN)] as const];
    const { at, lines } = await play({ moves, untilMs: 30 * MINUTE_MS });
    assert.equal(await at.mapRoles(), ADMIN);
    assert.match(lines.join('\n'), /was put back less than 60 minutes ago and stays out/);
  });
});

test('what was put back and taken away before the next look stays out as well', async () => {
  const moves = [...OVERWRITTEN, [2 * MINUTE_MS + 1, (at: Scene) => at.put(ADMIN)] as const];
  const { at, lines } = await play({ moves });
  assert.match(lines.join('\n'), /it is put back/);
  assert.equal(await at.mapRoles(), ADMIN);
});

describe('who puts it back', () => {
  for (const [title, more] of [
    ['in mode report', { mode: 'report' }],
    ['in a dry run', { isDryRun: true }],
    ['by a replica that does not lead', { leadsFromMs: null }],
  ] as const)
    test(`is only reported ${title}`, async () => {
      const { at, lines } = await play({ moves: OVERWRITTEN, ...more });
      assert.equal(await at.mapRoles(), `# by terraform\n${ADMIN}`);
      assert.equal(lines.filter((line) => line.includes('does not map')).length, 1);
      const ids = [...(await at.recorder.notes(at.api.server)).keys()];
      assert.deepEqual(
        ids.filter((id) => id.startsWith('fix/')),
        [],
      );
      const rows = await at.recorder.read({ cluster: at.api.server, limit: 9 });
      assert.equal(rows.length > 0, 'isDryRun' in more);
    });

  test('is put back by the next leader, which remembers it too', async () => {
    const { at } = await play({ moves: OVERWRITTEN, leadsFromMs: 6 * MINUTE_MS });
    assert.match((await at.mapRoles()) ?? '', /role\/nodes/);
  });

  test('is not put back where the role got another entry right before the write', async () => {
    const other = `${ADMIN}- rolearn: ${ROLE}\n  username: team\n`;
    const moves = [...OVERWRITTEN];
    const { at } = await play({
      moves: [
        ...moves,
        [
          MINUTE_MS + 1,
          ({ api, put }: Scene) => {
            const get = api.get.bind(api);
            let reads = 0;
            api.get = async (...words) => {
              reads += 1;
              // The look is the second, and what the restoration reads the third.
              if (reads === 3) put(other);
              return get(...words);
            };
          },
        ],
      ],
    });
    assert.equal(await at.mapRoles(), other);
  });
});

describe('what an earlier start remembered', () => {
  const HOUR_MS = 60 * MINUTE_MS;
  const LEADS: Play = { moves: [], leadsFromMs: 0 };

  /** A start that saw the mapping and ended before it was taken away. */
  async function seen(): Promise<Played> {
    const played = await play({ moves: [OVERWRITTEN[0] ?? [0, () => undefined]] });
    played.at.put(`# by terraform\n${ADMIN}`);
    return played;
  }

  test('is put back where it was taken away while nobody ran', async () => {
    const before = await seen();
    const { at } = await play({ ...LEADS, before, untilMs: 20 * MINUTE_MS });
    assert.match((await at.mapRoles()) ?? '', /role\/nodes/);
  });

  test('is forgotten after a day', async () => {
    const before = await seen();
    await before.at.tools().clock.sleep(24 * HOUR_MS);
    const untilMs = before.at.tools().clock.nowMs() + 10 * MINUTE_MS;
    const { at } = await play({ ...LEADS, before, untilMs });
    assert.equal(await at.mapRoles(), `# by terraform\n${ADMIN}`);
  });

  test('rests over a restart, also where the program was killed at its write', async () => {
    const first = seen();
    const before = await first;
    await assert.rejects(
      play({ ...LEADS, before, isKilled: true, untilMs: 20 * MINUTE_MS }),
      /killed/,
    );
    assert.match((await before.at.mapRoles()) ?? '', /role\/nodes/);
    before.at.put(ADMIN);
    const { at, words } = await play({ ...LEADS, before, untilMs: 40 * MINUTE_MS });
    assert.equal(await at.mapRoles(), ADMIN);
    const nowMs = at.tools().clock.nowMs();
    assert.match(words.of('i-1', nowMs) ?? '', /taken away again, so it stays out/);
  });

  test('makes no administrator, whoever wrote the note', async () => {
    const before = await seen();
    const nowMs = before.at.tools().clock.nowMs();
    const groups = ['system:masters', 'system:nodes', 'system:bootstrappers'];
    const evil = { arn: ROLE, username: 'system:node:{{EC2PrivateDNSName}}', groups };
    const body = { atMs: nowMs, mappings: [{ ...evil, goneAtMs: nowMs }] };
    const cluster = before.at.api.server;
    await before.at.recorder.append([], [{ cluster, id: 'auth/memory', body }]);
    const { at } = await play({ ...LEADS, before, untilMs: 20 * MINUTE_MS });
    assert.equal(await at.mapRoles(), `# by terraform\n${ADMIN}`);
  });

  test('that cannot be read puts nothing back, which is reported once', async () => {
    const before = await seen();
    before.at.recorder.notes = async () => {
      throw new PortError({ failure: 'unavailable', message: 'The disk is gone.' });
    };
    const { at, lines } = await play({ ...LEADS, before, untilMs: 20 * MINUTE_MS });
    assert.equal(await at.mapRoles(), `# by terraform\n${ADMIN}`);
    assert.equal(lines.filter((line) => line.includes('The disk is gone')).length, 1);
  });
});

test('the report of a machine tells that its role was put back', async () => {
  const { at, words } = await play({ moves: OVERWRITTEN });
  const nowMs = at.tools().clock.nowMs();
  assert.match(words.of('i-1', nowMs) ?? '', /lost the mapping of \S+; it was put back at 1970-/);
  assert.equal(words.of('i-2', nowMs), null);
  assert.equal(words.of('i-1', nowMs + 60 * MINUTE_MS), null);
});

describe('what is unknown', () => {
  test('is not put back into a text that nobody can read', async () => {
    const { at, lines } = await play({
      moves: [...OVERWRITTEN, [MINUTE_MS + 1, (one) => one.put('\t- x')]],
    });
    assert.equal(await at.mapRoles(), '\t- x');
    assert.match(lines.join('\n'), /aws-auth is unknown and nothing is put back/);
  });

  test('is not missed where aws-auth cannot be read', async () => {
    const { at, lines } = await play({
      moves: [
        OVERWRITTEN[0] ?? [0, () => undefined],
        [MINUTE_MS, ({ api }) => api.forbid('get configmaps')],
      ],
    });
    assert.equal(lines.filter((line) => line.includes('aws-auth is unknown')).length, 1);
    assert.deepEqual(await at.recorder.read({ cluster: at.api.server, limit: 9 }), []);
  });

  test('is not sent where it cannot be recorded', async () => {
    const moves = [
      ...OVERWRITTEN,
      [
        MINUTE_MS,
        ({ recorder }: Scene) => {
          recorder.append = async () => {
            throw new PortError({ failure: 'unavailable', message: 'The disk is full.' });
          };
        },
      ] as const,
    ];
    const { at } = await play({ moves });
    assert.equal(await at.mapRoles(), `# by terraform\n${ADMIN}`);
  });
});

test('the whole ConfigMap gone is made again with the mapping alone', async () => {
  const gone = ({ api }: Scene): void => {
    api.remove(CONFIG_MAPS, { namespace: 'kube-system', name: 'aws-auth' });
  };
  const { at } = await play({ moves: [OVERWRITTEN[0] ?? [0, gone], [MINUTE_MS, gone]] });
  assert.equal((await at.mapRoles())?.trim(), NODES.trim());
});
