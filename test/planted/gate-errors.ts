import { inFile, type PlantedError } from './errors.ts';

const DECIDE = ['src/controllers/gate/decide.test.ts'];
const KUBELETS = ['test/controllers/gate/kubelet-restart.test.ts'];
const MEMORY = ['src/controllers/gate/memory.test.ts'];
const PLAN = ['src/controllers/gate/plan.test.ts'];
const TIMELINE = ['test/controllers/gate/timeline.test.ts'];
const NIDHOGG = ['test/controllers/gate/nidhogg-reader.test.ts'];
const KEEPER = ['test/controllers/gate/keeper.test.ts'];
const NOT_ENFORCED = ['test/controllers/gate/not-enforced.test.ts'];
const DOMAIN = ['src/domain/nodes/not-enforced.test.ts'];
const ADOPTION = ['test/controllers/gate/adoption.test.ts'];
const FOREIGN_TAINTS = ['test/controllers/gate/foreign-taints.test.ts'];
const LEADING = ['test/sim/gates/leading.test.ts'];
const IN_SERVICE = ['test/controllers/gate/in-service.test.ts'];
const RULES = ['test/controllers/gate/readiness-rule-reader.test.ts'];

/** Errors in what opens and shuts a node, and in the two readers of foreign policies. */
export const GATE_ERRORS: readonly PlantedError[] = [
  ...inFile('src/controllers/gate/plan.ts', [
    [
      'a node whose taint was removed is taken for one that came without',
      "decision.act !== 'put-startup' || isLost",
      "decision.act !== 'put-startup'",
      NOT_ENFORCED,
    ],
  ]),
  ...inFile('src/controllers/gate/view.ts', [
    [
      'a node that another gate holds is in service for a new one',
      'if (isHeldByOther) return false;',
      'if (isHeldByOther && node.createdMs === null) return false;',
      IN_SERVICE,
    ],
  ]),
  ...inFile('src/domain/nodes/not-enforced.ts', [
    ['what a former Node left counts', 'uid === null || nodeUid === uid', 'true', DOMAIN],
  ]),
  ...inFile('src/controllers/gate/foreign-taints.ts', [
    [
      'an owner that could not be read is taken for gone',
      "if (word === undefined || daemonSets.state !== 'seen') return 'unknown';",
      "if (word === undefined || daemonSets.state !== 'seen') return 'gone';",
      FOREIGN_TAINTS,
    ],
  ]),
  ...inFile('src/controllers/gate/adoption.ts', [
    [
      'a taint is adopted by its key alone',
      'one.key === key && one.effect === effect',
      'one.key === key && effect !== null',
      ADOPTION,
    ],
    [
      'a taint is adopted before its owner has been gone for the dwell',
      'Math.max(0, sinceMs + policy.dwellMs - nowMs)',
      'Math.max(0, sinceMs - nowMs)',
      ADOPTION,
    ],
    [
      'a taint of an owner that is there is adopted',
      "ownerState(key, all) === 'gone'",
      "ownerState(key, all) !== 'unknown'",
      ADOPTION,
    ],
    [
      'a taint is adopted while DaemonSets cannot be read',
      "ownerState(key, all) === 'gone'",
      "ownerState(key, all) !== 'there'",
      ADOPTION,
    ],
    [
      'a gate that cannot be followed adopts',
      'refusedWhy === null && !isDryRun',
      '!isDryRun && refusedWhy !== ""',
      ADOPTION,
    ],
    [
      'I-35: a gate in a dry run adopts',
      'refusedWhy === null && !isDryRun',
      'refusedWhy === null || isDryRun',
      ADOPTION,
    ],
  ]),
  ...inFile('src/controllers/gate/object-keeper.ts', [
    [
      'I-16: a rule is written after its time as leader',
      '{ isDryRun, isAllowed });',
      '{ isDryRun });',
      LEADING,
    ],
  ]),
  ...inFile('src/controllers/gate/keeper.ts', [
    [
      'I-16: a Node is written for rules whose Lease is over',
      'isLeading() && look.decided.every(({ policy }) => this.caches.isFollowed(policy));',
      'isLeading();',
      KEEPER,
    ],
    [
      'a write that was refused is tried again with every change',
      'return this.#refused.restMs(write.look.node.name, whatOf(write)) || null;',
      'return null;',
      ['test/controllers/gate/refused-writes.test.ts'],
    ],
    [
      'a write is planned twice',
      'const made = this.#takeMade(name);',
      'const made = this.#takeMade(`${name} `);',
      ['test/controllers/gate/looks.test.ts'],
    ],
  ]),
  ...inFile('src/controllers/gate/decide.ts', [
    ['a proof opens at once', 'if (restMs <= 0) return', 'if (restMs >= 0) return', DECIDE],
    [
      'what is unknown opens',
      "if (view.verdict === 'proven') return decideProven(view);",
      "if (view.verdict !== 'unproven') return decideProven(view);",
      DECIDE,
    ],
    [
      'a proof that cannot be read shuts an open node',
      "if (view.opened === 'now' && view.verdict === 'unproven') return lost(view);",
      "if (view.opened === 'now') return lost(view);",
      DECIDE,
    ],
    [
      'the blast budget is not asked',
      "return isWithinBudget ? { act: 'put-regress', reason, againMs: null } : keep('ProofSuspected');",
      "return { act: 'put-regress', reason, againMs: null };",
      DECIDE,
    ],
    [
      'a node in service is shut by a new gate',
      "if (view.isInService) return view.verdict === 'unproven' ? lost(view) : keep(reason);",
      '',
      DECIDE,
    ],
    [
      'a reboot leaves a node open',
      "if (view.opened === 'before') return { act: 'put-regress', reason: 'Rebooted', againMs: null };",
      '',
      DECIDE,
    ],
    [
      'a restart of the kubelet leaves a node open where it counts',
      "if (view.opened === 'before-restart') return shutAgain(view, 'KubeletRestarted');",
      '',
      DECIDE,
    ],
  ]),
  ...inFile('src/controllers/gate/budget.ts', [
    [
      'one node more is shut again than the budget allows',
      'const more = count.lost.has(node) ? 0 : 1;',
      'const more = 0;',
      KUBELETS,
    ],
  ]),
  ...inFile('src/controllers/gate/kubelet-run.ts', [
    [
      'the run of a former boot counts as a restart of the kubelet',
      'return noted.startsWith(`${boot} `) && noted !== run;',
      'return boot !== undefined && noted !== run;',
      KUBELETS,
    ],
    [
      'a kubelet of which the agent says nothing counts as restarted',
      'if (noted === undefined || run === null) return false;',
      'if (noted === undefined || run === null) return noted !== undefined;',
      KUBELETS,
    ],
  ]),
  ...inFile('src/controllers/gate/memory.ts', [
    [
      'another Node of the same name is the same',
      'if (before === undefined || before.uid !== uid)',
      'if (before === undefined)',
      MEMORY,
    ],
    [
      'another boot goes on where the last one ended',
      'return before.bootId !== null && bootId !== null && before.bootId !== bootId;',
      'return false;',
      MEMORY,
    ],
    [
      'an interruption that nobody saw does not begin the dwell again',
      'hold !== null && hold === before[index];',
      'hold !== null && before[index] !== null;',
      TIMELINE,
    ],
    [
      'a flapping node dwells no longer',
      'Math.min(DWELL_MS_MAX, dwellMs * 2 ** doublings)',
      'Math.min(DWELL_MS_MAX, dwellMs)',
      MEMORY,
    ],
  ]),
  ...inFile('src/controllers/gate/plan.ts', [
    [
      'one policy opens what another keeps shut',
      'const WEIGHTS = { remove: 0, keep: 1, put: 2 } as const;',
      'const WEIGHTS = { remove: 2, keep: 1, put: 0 } as const;',
      PLAN,
    ],
    [
      'a taint of the same key and another effect goes too',
      'taint.effect === node.taints[index].effect,',
      'taint.effect !== null,',
      PLAN,
    ],
    [
      'places of taints move while they are removed',
      'const places = [...node.taints.keys()].filter(isGone).toReversed();',
      'const places = [...node.taints.keys()].filter(isGone);',
      PLAN,
    ],
    [
      'a dry run writes',
      'const active = input.decided.filter(({ policy }) => !policy.isDryRun);',
      'const active = input.decided;',
      PLAN,
    ],
    [
      'a Node that changed meanwhile is written',
      "requires: 'same-version'",
      "requires: 'same-object'",
      PLAN,
    ],
  ]),
  ...inFile('src/controllers/gate/policies/nidhogg.ts', [
    [
      'without a selector the DaemonSet is not asked for which nodes it is',
      'const placedBy = requirements === null ? { namespace, name } : null;',
      'const placedBy = null;',
      NIDHOGG,
    ],
    [
      'an unknown effect is none',
      "return effect ?? 'NoSchedule';",
      "return effect ?? 'PreferNoSchedule';",
      NIDHOGG,
    ],
    ['the delay is taken for milliseconds', 'return found * 1000;', 'return found;', NIDHOGG],
    [
      'a DaemonSet that is named twice is one twice',
      'if (byName.has(name)) notes.warn(named.path, `names ${name} again`);',
      'if (byName.has(name)) notes.refuse(named.path, `names ${name} again`);',
      NIDHOGG,
    ],
  ]),
  ...inFile('src/controllers/gate/policies/node-readiness-rule.ts', [
    [
      'a default opens a node for good',
      "const whenMissing = mode === 'bootstrap-only' ? null : fallback;",
      'const whenMissing = fallback;',
      RULES,
    ],
    [
      'no condition is enough',
      "if (items.length === 0) spec.refuse('conditions', 'is empty; name at least one');",
      '',
      RULES,
    ],
    [
      'any taint is taken',
      'if (!taint.key.startsWith(EPHEMERAL_TAINT_PREFIX))',
      'if (taint.key === EPHEMERAL_TAINT_PREFIX)',
      RULES,
    ],
  ]),
];
