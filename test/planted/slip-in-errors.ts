import { inFile, type PlantedError } from './errors.ts';

const DECIDE = ['src/controllers/slip-ins/decide.test.ts'];
const EVIDENCE = ['test/controllers/slip-ins/evidence.test.ts'];
const BUDGET = ['src/controllers/slip-ins/budget.test.ts'];
const KEEPER = ['test/controllers/slip-ins/keeper.test.ts'];

/** Errors in what is taken for a slip-in, and in what replaces it. */
export const SLIP_IN_ERRORS: readonly PlantedError[] = [
  ...inFile('src/controllers/slip-ins/decide.ts', [
    [
      'I-09: Pods of DaemonSets are evicted',
      'if (view.isOfDaemonSet || view.isMirror) return true;',
      'if (view.isMirror) return true;',
      DECIDE,
    ],
    [
      'I-09: Pods that tolerate the taint are evicted',
      "if (view.isTolerating) return keep('Tolerates');",
      '',
      DECIDE,
    ],
    [
      'I-13: Pods that started again are evicted',
      'view.hasFinished || view.hasRestarted;',
      'view.hasFinished;',
      DECIDE,
    ],
    [
      'a gate that reports evicts',
      "if (view.mode === 'report') return keep('ReportOnly');",
      '',
      DECIDE,
    ],
  ]),
  ...inFile('src/controllers/slip-ins/evidence.ts', [
    [
      'I-13: any Pod of a gated node came too early',
      'if (!isNeverOpened || boundMs === null',
      'if (boundMs === null',
      KEEPER,
    ],
    ['Pods of a former Node of the same name count', 'if (ageMs < 0 || (', 'if ((', EVIDENCE],
    [
      'Pods that were there before the gate selected the node count',
      'ageMs > BIRTH_MS && !isSeenFromBirth',
      'ageMs > BIRTH_MS * 100',
      EVIDENCE,
    ],
    [
      'I-40: a record of a wrong clock is believed',
      'return heldMs >= -MARGIN_MS && heldMs <= policy.dwellMs + OPENS_WITHIN_MS;',
      'return heldMs >= -MARGIN_MS;',
      EVIDENCE,
    ],
    ['I-13: an address of another Pod counts', '(?=[,.]? )/g', '/g', EVIDENCE],
    [
      'an address that another Pod had before counts',
      'heartbeatMs !== null && pod.startedMs < heartbeatMs;',
      'heartbeatMs !== null;',
      EVIDENCE,
    ],
    [
      'Pods that were there before a proof was lost count',
      'if (beforeLoss === null || beforeLoss.has(uid)) return null;',
      'if (beforeLoss === null) return null;',
      KEEPER,
    ],
  ]),
  ...inFile('src/controllers/slip-ins/eviction.ts', [
    [
      'I-10: a Pod is deleted past its budget',
      "verb: 'evict', requires",
      "verb: 'delete', requires",
      KEEPER,
    ],
  ]),
  ...inFile('src/controllers/slip-ins/noted.ts', [
    [
      'I-12: a note that cannot be read is one of no evictions',
      'return read.includes(null) ? null : read',
      'return read.includes(null) ? [] : read',
      KEEPER,
    ],
    [
      'I-12: two that note at once both evict',
      "requires: 'same-version'",
      "requires: 'same-object'",
      ['src/controllers/slip-ins/noted.test.ts'],
    ],
  ]),
  ...inFile('src/controllers/slip-ins/keeper.ts', [
    [
      'I-12: an eviction is sent though its note was refused',
      "if (noted.outcome === 'done') return spent;",
      'if (noted.outcome !== null) return spent;',
      KEEPER,
    ],
    [
      'P21: a Pod is evicted by its name after another took it',
      'const action = evictionOf(slipIn);',
      "const action = { ...evictionOf(slipIn), write: { verb: 'evict', requires: 'same-object' } as const, object: { ...evictionOf(slipIn).object, seen: { resourceVersion: '', uid: (await readOne(this.#options.api, slipIn.pod))?.uid ?? '' } } };",
      KEEPER,
    ],
    [
      'I-12: an eviction that a budget forbids is tried at once again',
      'Math.max(performed.retryAfterMs ?? 0, REFUSED_MS);',
      '0;',
      KEEPER,
    ],
    ['budgets are not spent', 'isSpent && !isDryRun ? clock.monotonicMs() : null', 'null', KEEPER],
    [
      'I-35: a dry run evicts',
      'perform(action, this.#options, { isDryRun, isAllowed: isLeading })',
      'perform(action, this.#options, { isDryRun: false, isAllowed: isLeading })',
      KEEPER,
    ],
    [
      'P42: a replica that does not lead evicts',
      '!isCurrent() || !leading.isLeading()) return;',
      '!isCurrent()) return;',
      KEEPER,
    ],
  ]),
  ...inFile('src/controllers/slip-ins/budget.ts', [
    [
      'a controller that starts again has all of its budget again',
      'all.length < perHour && own.length < 1 + grown',
      'all.length < perHour',
      BUDGET,
    ],
    [
      'an hour evicts what quiet hours saved up',
      'all.length < perHour && own.length < 1 + grown',
      'own.length < 1 + grown',
      BUDGET,
    ],
    [
      'evictions of an hour ago count still',
      'const own = this.#spent.filter(({ atMs }) => nowMs - atMs < HOUR_MS);',
      'const own = this.#spent;',
      BUDGET,
    ],
    [
      'I-12: what another leader evicted is not counted',
      'return [...new Map([...this.#others.values(), ...own]',
      'return [...new Map([...own]',
      KEEPER,
    ],
    [
      'I-40: the clocks of two machines are taken for one',
      'Math.max(0, wallMs - atMs - SKEW_MS)',
      'Math.max(0, wallMs - atMs)',
      BUDGET,
    ],
    [
      'I-40: a jump of the clock makes evictions of others older',
      'if (known.has(pod) || this.#others.has(pod) || this.#unused.has(pod)) continue;',
      'if (known.has(pod) || this.#unused.has(pod)) continue;',
      BUDGET,
    ],
    [
      'an eviction that did not happen stays noted',
      'if (atMs === null && !this.#others.has(spent.pod)) this.#unused.add(spent.pod);',
      '',
      BUDGET,
    ],
  ]),
];
