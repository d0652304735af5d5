/** One mistake that somebody could make, and the tests that must notice it. */
export interface PlantedError {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

const ENGINE = ['test/engine/engine.test.ts'];
const READING = ['test/engine/reading.test.ts', 'test/engine/objects.test.ts'];
const TIME = ['src/evidence/time.test.ts'];
const NAMES = ['src/evidence/names.test.ts'];
const CLOCKS = ['test/engine/clocks.test.ts'];
const MEASURED = ['test/engine/clocks-measured.test.ts'];
const OWN_CLOCK = ['src/readers/text/host-clock.test.ts'];
const LEASES = ['src/readers/text/dhcp-lease.test.ts'];
const POLICIES = ['src/domain/instances/policies.test.ts'];
const EXAMPLES = ['test/causes/examples.test.ts'];

type Row = readonly [name: string, find: string, replace: string, tests: readonly string[]];

/** Errors of one file, each noticed by tests of its own. */
export function inFile(file: string, rows: readonly Row[]): readonly PlantedError[] {
  return rows.map(([name, find, replace, tests]) => ({ name, file, find, replace, tests }));
}

/** Errors in ranking and withdrawal; each is put in alone, into a copy of the sources. */
export const PLANTED_ERRORS: readonly PlantedError[] = [
  ...inFile('src/domain/instances/role-rights.ts', [
    [
      'inline policies that were not read leave a right open',
      "inline === undefined && facts.nowMs !== null ? 'unknown' : 'missing',",
      "'missing',",
      POLICIES,
    ],
    [
      'a policy of the account is not AWS’s of the same name',
      "const isAccounts = /:iam::\\d+:policy\\//.test(arn ?? '');",
      'const isAccounts = false;',
      POLICIES,
    ],
  ]),
  ...inFile('src/diagnosis/rank.ts', [
    [
      'the highest stage wins',
      'if (stages !== 0) return stages;',
      'if (stages !== 0) return -stages;',
      ENGINE,
    ],
    [
      'fewest explained wins',
      'return b.explained - a.explained;',
      'return a.explained - b.explained;',
      ENGINE,
    ],
    [
      'likely before definite',
      'if (definite !== 0) return definite;',
      'if (definite !== 0) return -definite;',
      ENGINE,
    ],
    [
      'the later of two wins',
      'if (isAfter(second, first)) return -1;',
      'if (isAfter(second, first)) return 1;',
      ENGINE,
    ],
    ['ties by catalogue order', 'compareTexts(a.finding.cause, b.finding.cause) ||', '', ENGINE],
    [
      'possible findings may lead',
      "finding.role === 'root' && finding.confidence !== 'possible'",
      "finding.role === 'root'",
      ENGINE,
    ],
    [
      'consequences may lead',
      "finding.role === 'root' && finding.confidence !== 'possible'",
      "finding.confidence !== 'possible'",
      ['test/causes/examples.test.ts'],
    ],
    [
      'nothing explains what is above',
      'stageIndex(a.cause.stage) < stageIndex(b.cause.stage)',
      'false',
      ENGINE,
    ],
    [
      'everything explains what is above',
      'a.cause.blocksAbove !== false && stageIndex',
      'stageIndex',
      ENGINE,
    ],
    [
      'declared explanations are ignored',
      'if (a.cause.explains?.includes(b.cause.id) === true) return true;',
      '',
      ENGINE,
    ],
    [
      'a declared explanation does not beat the order of stages',
      'if (b.cause.explains?.includes(a.cause.id) === true) return false;',
      '',
      ENGINE,
    ],
    [
      'a blocking symptom blocks nothing',
      "return { ...entry, role: 'contributing', explainedBy: null };",
      "return { ...entry, role: 'root', explainedBy: null };",
      ENGINE,
    ],
    [
      'a cluster’s cause stops machines that work',
      'const reach = stageIndex(entry.cause.stage);',
      'const reach = stageIndex(entry.cause.stage);\n  if (reach >= 0) return true;',
      ENGINE,
    ],
  ]),
  ...inFile('src/diagnosis/view.ts', [
    [
      'earlier success withdraws too',
      'return isOvertaken(hit.last.moment, success.last.moment) || isUnordered(success, hit);',
      'return true;',
      ENGINE,
    ],
    [
      'success never withdraws',
      'return isOvertaken(hit.last.moment, success.last.moment) || isUnordered(success, hit);',
      'return false;',
      ENGINE,
    ],
    ['success of another object withdraws', '!isOfSameObject(success, hit)', 'false', ENGINE],
    [
      'a cause’s own choice of successes is ignored',
      'cause.withdrawnBy ?? defaultWithdrawal(cause.stage)',
      'defaultWithdrawal(cause.stage)',
      ENGINE,
    ],
    [
      'one line is enough for what must repeat',
      'sighting === null || count < timesNeeded(sign, left.map(shown))',
      'sighting === null',
      ENGINE,
    ],
    ['nothing clears', "cleared: weighed('clears').length > 0", 'cleared: false', ENGINE],
  ]),
  ...inFile('src/diagnosis/evaluate.ts', [
    ['silence clears', 'return silence(cause, subject);', 'return clear;', EXAMPLES],
    [
      'supporting lines decide',
      'const deciding = [...definite, ...likely];',
      'const deciding = [...definite, ...likely, ...context];',
      ENGINE,
    ],
    ['cleared causes are found', 'if (reading.cleared) return clear;', '', ENGINE],
  ]),
  ...inFile('src/diagnosis/open-symptoms.ts', [
    [
      'symptoms are never taken back',
      'symptom.withdrawnBy.some((id) => other.owner === `milestone:${id}`) &&',
      'false &&',
      ENGINE,
    ],
  ]),
  ...inFile('src/diagnosis/groups.ts', [
    [
      'groups stay the cluster’s',
      "return cause.scope !== 'group' || first === undefined ? null : groupIn(first);",
      'return null;',
      ENGINE,
    ],
  ]),
  ...inFile('src/diagnosis/ladder.ts', [
    [
      'unknown counts as passed',
      "ladder.every((entry) => entry.state === 'passed') ? 'usable'",
      "!ladder.some((entry) => entry.state === 'failed') ? 'usable'",
      ENGINE,
    ],
    [
      'the stage is the first unknown',
      "for (const state of ['failed', 'pending', 'unknown'] as const)",
      "for (const state of ['unknown', 'failed', 'pending'] as const)",
      ENGINE,
    ],
    [
      'milestones pass nothing',
      'for (const stage of milestone.proves) {',
      'for (const stage of [] as typeof milestone.proves) {',
      ENGINE,
    ],
  ]),
  ...inFile('src/diagnosis/gathering.ts', [
    [
      'all nameless logs are the first machine’s',
      'return troubled.length === 1 ? (troubled[0] ?? null) : null;',
      'return troubled[0] ?? null;',
      READING,
    ],
    [
      'nameless logs are always the cluster’s',
      'const home = hit.onMachine ? (inDocument ?? only) : null;',
      'const home = null;',
      READING,
    ],
  ]),
  ...inFile('src/diagnosis/gathering-names.ts', [
    [
      'names are not linked',
      'for (const link of observations.links) joinNames(link.names);',
      '',
      READING,
    ],
  ]),
  ...inFile('src/evidence/time.ts', [
    [
      'stamps are not looked at',
      'if (a.when !== null && b.when !== null && comparable(a.when, b.when)) {',
      'if (false) {',
      TIME,
    ],
    [
      'lines of different documents are compared',
      'if (a.at.document === b.at.document) return',
      'return',
      TIME,
    ],
    ['clocks of different dumps are mixed', 'a.clock === b.clock &&', '', TIME],
    ['years are mixed with none', '&& a.yearless === b.yearless', '', TIME],
  ]),
  ...inFile('src/diagnosis/drift.ts', [
    ['the zone of a journal is not applied', 'return document.zoneOffsetMs;', 'return 0;', CLOCKS],
    [
      'a clock error is added',
      'if (home === undefined) {',
      'if (home !== undefined) return null; else {',
      CLOCKS,
    ],
    [
      'an unknown error counts as none',
      'return BEFORE_VALIDITY.test(line) ? null : undefined;',
      'return undefined;',
      CLOCKS,
    ],
    [
      'a clock of nobody moves every machine',
      'const isAlone = named.size <= 1 &&',
      'const isAlone =',
      MEASURED,
    ],
    [
      'the least exact clock counts',
      'if (homes.some((home) => measured.has(home))) continue;',
      '',
      MEASURED,
    ],
  ]),
  ...inFile('src/readers/text/host-clock.ts', [
    [
      'slow is ahead',
      "(match[2] === 'slow' ? -1 : 1)",
      "(match[2] === 'slow' ? 1 : -1)",
      OWN_CLOCK,
    ],
    [
      'a clock without a measurement is right',
      'isSynchronised === false && ms === 0 ? null',
      'isSynchronised === false && ms === 1 ? null',
      OWN_CLOCK,
    ],
    [
      'a server that is ahead makes the machine ahead',
      "match[1] === '+' ? -ms : ms",
      "match[1] === '-' ? -ms : ms",
      OWN_CLOCK,
    ],
    [
      'a clock that was stepped is still wrong',
      'ms >= STEPPED_MS ? null',
      'ms < 0 ? null',
      OWN_CLOCK,
    ],
    ['the probe is read the wrong way round', 'const ms = 0 - ', 'const ms = 0 + ', MEASURED],
  ]),
  ...inFile('src/readers/text/dhcp-lease.ts', [
    [
      'the first lease counts',
      'if (value !== null) last.set(',
      "if (value !== null && !last.has(value.interface ?? '')) last.set(",
      LEASES,
    ],
    ['an address alone tells that no domain was given', "(showsOptions ? '' : null)", "''", LEASES],
  ]),
  ...inFile('src/evidence/names.ts', [
    [
      'addresses in names are not read',
      'const ip = IPV4.test(value) ? value : ipInName(value);',
      'const ip = IPV4.test(value) ? value : null;',
      NAMES,
    ],
    [
      'instance ids in names are not read',
      'if (instanceId !== null) return instanceId;',
      '',
      NAMES,
    ],
    [
      'any internal domain is EC2’s',
      'return EC2_DOMAIN.test(name);',
      "return name.includes('.internal');",
      NAMES,
    ],
    ['localhost is a machine', 'RESERVED_HOSTS.has(value) ||', '', NAMES],
  ]),
];
