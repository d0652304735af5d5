import { inFile, type PlantedError } from './errors.ts';

const JANITOR = ['test/controllers/eni-janitor/janitor.test.ts'];
const PROGRAM = ['test/controllers/janitor-leads.test.ts'];

/** Errors in what the controller deletes by itself. */
export const JANITOR_ERRORS: readonly PlantedError[] = [
  ...inFile('src/controllers/eni-janitor/janitor.ts', [
    [
      'I-20: what another leader saw counts',
      '    this.#sights = new Map();\n    const { clock',
      '    const { clock',
      JANITOR,
    ],
    [
      'I-20: the budget is that of one pass',
      'most: Math.max(1, Math.floor((hourly * everyMs) / HOUR_MS))',
      'most: hourly',
      JANITOR,
    ],
    ['I-35: a report deletes', "mode === 'delete' ? judged", 'true ? judged', JANITOR],
    [
      'I-16: whoever does not lead deletes',
      'may.isLeading() && !may.signal.aborted;',
      '!may.signal.aborted;',
      JANITOR,
    ],
    [
      'after a denial the others are tried',
      "return mayWrite() && end.failure !== 'denied';",
      'return mayWrite();',
      JANITOR,
    ],
  ]),
  ...inFile('src/controllers/eni-janitor/delete-interface.ts', [
    [
      'I-20: an old reading is enough',
      'mayWrite() && clock.monotonicMs() - readMs <= FRESH_MS',
      'mayWrite()',
      JANITOR,
    ],
    ['what is gone counts as refused', "if (end.failure === 'not-found')", 'if (false)', JANITOR],
  ]),
  ...inFile('src/apps/controller/janitor.ts', [
    [
      'I-35: a dry run deletes',
      'isDryRun: isDryRun(), isAllowed',
      'isDryRun: false, isAllowed',
      JANITOR,
    ],
  ]),
  ...inFile('src/apps/controller/program.ts', [
    [
      'the janitor needs no Lease',
      '[webhook, janitor, awsEvents]',
      '[webhook, awsEvents]',
      PROGRAM,
    ],
  ]),
];
