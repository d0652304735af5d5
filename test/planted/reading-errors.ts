import { inFile, type PlantedError } from './errors.ts';

const READING = ['test/engine/reading.test.ts', 'test/engine/objects.test.ts'];
const FORMS = ['src/readers/line/forms.test.ts'];
const STAMPS = ['src/readers/line/timestamps.test.ts'];
const PASSAGES = ['src/readers/text/passages.test.ts'];
const HOSTILE = ['test/hostile/input.test.ts'];

/** Errors in what readers make of lines, objects and answers. */
export const READING_ERRORS: readonly PlantedError[] = [
  ...inFile('src/readers/sightings.ts', [
    ['objects are not kept apart', "captures[name] ?? '').join", "'').join", READING],
    [
      'the last sighting is the first',
      'if (!isEarlier(quote, known.last)) known.last = quote;',
      '',
      READING,
    ],
  ]),
  ...inFile('src/readers/collector.ts', [
    [
      'a kubelet’s host is another machine',
      'state.links.push({ names, proof',
      'if (names.length > 9) state.links.push({ names, proof',
      READING,
    ],
  ]),
  ...inFile('src/readers/sign-table.ts', [
    ['the program does not matter', 'return !row.strict &&', 'return true ||', READING],
    ['strict signs take unknown lines', 'return !row.strict && (', 'return (', READING],
  ]),
  ...inFile('src/readers/line/timestamps.ts', [
    ['zones are ignored', '- zoneMs(m[8]));', ');', STAMPS],
    [
      'months count from zero',
      "const month = MONTHS.indexOf(m?.[1] ?? '') + 1;",
      "const month = MONTHS.indexOf(m?.[1] ?? '');",
      STAMPS,
    ],
    ['minutes of ages count as seconds', 'm: 60_000,', 'm: 1000,', STAMPS],
  ]),
  ...inFile('src/readers/line/clean.ts', [
    ['escaped quotes stay', '.replace(/(?<!\\\\)\\\\+"/g, \'"\')', '', FORMS],
  ]),
  ...inFile('src/readers/line/envelope.ts', [
    ['Docker’s wrapping stays', 'if (DOCKER_JSON.test(line)) {', 'if (false) {', FORMS],
  ]),
  ...inFile('src/readers/text/item-stream.ts', [
    [
      'escapes in strings are not seen',
      'else if (code === BACKSLASH) cursor.escaped = true;',
      '',
      PASSAGES,
    ],
  ]),
  ...inFile('src/readers/text/segments.ts', [
    [
      'wrapped records are not joined',
      "yield { kind: 'joined', line: index + 1, lineEnd: end, text: parts.join('') };",
      '',
      PASSAGES,
    ],
    [
      'tables swallow what follows',
      "if (line.trim() === '' || TABLE_HEADER.test(line)) return false;",
      '',
      PASSAGES,
    ],
  ]),
  ...inFile('src/readers/kube/node.ts', [
    [
      'an unknown Ready is not Ready',
      "return status === 'False' ? false : null;",
      'return false;',
      READING,
    ],
  ]),
  ...inFile('src/readers/kube/table.ts', [
    ['a table says there are no taints', 'taints: null,', 'taints: [],', READING],
  ]),
  ...inFile('src/readers/kube/aws-auth.ts', [
    [
      'a malformed map is an empty one',
      'malformed: `${key}, line ${read.line}: ${read.why}`',
      'malformed: null',
      READING,
    ],
  ]),
  ...inFile('src/readers/encoding.ts', [
    [
      'binary is read as text',
      'return control > head.length * CONTROL_SHARE_MAX;',
      'return false;',
      HOSTILE,
    ],
  ]),
];
