import { inFile, type PlantedError } from './errors.ts';

const DECIDE = ['test/controllers/auth/decide.test.ts'];
const KEEPER = ['test/controllers/auth/keeper.test.ts'];

/** Errors in what the keeper of aws-auth remembers and puts back. */
export const AUTH_ERRORS: readonly PlantedError[] = [
  ...inFile('src/controllers/auth/decide.ts', [
    ['administrators are remembered', "entry.groups.includes('system:masters')", 'false', DECIDE],
    ['a path does not matter', 'rolePartsOf(entry.arn)?.plain !== entry.arn', 'false', DECIDE],
    [
      'of several entries any one counts',
      'mappedBy(entries, entry.arn) === entry ?',
      'entry !== undefined ?',
      DECIDE,
    ],
    ['a text that nobody can read is empty', "sight.state === 'malformed'", 'false', DECIDE],
    [
      'a tool between two writes is not waited for',
      'rules.nowMs - one.goneMs < rules.settleMs',
      'false',
      DECIDE,
    ],
    ['what no machine misses comes back', 'machines.length === 0', 'false', DECIDE],
    ['another entry of the role is hidden', 'if (one.isRemapped)', 'if (false)', DECIDE],
    [
      'what is taken away again comes back again',
      "if (isLately(one, rules)) return 'resting';",
      '',
      DECIDE,
    ],
    ['the budget does not end', 'left -= 1', 'left -= 0', DECIDE],
    [
      'what others put back does not rest',
      'isBack ? nowMs : one.restoredMs',
      'one.restoredMs',
      DECIDE,
    ],
    ['nothing is ever forgotten', 'if (!isForgotten)', 'if (true)', DECIDE],
    ['what is there again is missed', 'isThere ? null : ', '', DECIDE],
  ]),
  ...inFile('src/controllers/auth/keeper.ts', [
    ['whoever does not lead writes', 'if (!isAllowed()) return;', '', KEEPER],
    ['a dry run writes', 'isDryRun: isDryRun()', 'isDryRun: false', KEEPER],
    ['reporting writes', "mode === 'restore' ? lost", 'mode !== undefined ? lost', KEEPER],
    ['another entry made meanwhile is hidden', 'isMissing: true', 'isMissing: false', KEEPER],
    ['what was put back is not remembered', 'if (isMade)', 'if (false)', KEEPER],
  ]),
  ...inFile('src/apps/controller/auth.ts', [
    ['each look reports again', 'if (reported.has(keyOf(one, isDryRun()))) continue;', '', KEEPER],
    [
      'what takes it back is not kept',
      'notes.push(note);\n      await',
      'notes.push(note);\n      if (notes.length > 9) await',
      KEEPER,
    ],
  ]),
];
