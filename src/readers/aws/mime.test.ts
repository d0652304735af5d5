import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { looksLikeMime, mimeLineCount, readMime } from './mime.ts';

const HEAD = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary="B"', ''];
const mime = (...lines: readonly string[]): string => [...HEAD, ...lines].join('\n');

const SOUND_MIME = [
  [
    'have a type and a body',
    mime('--B', 'Content-Type: text/x-shellscript; charset="us-ascii"', '', 'a', 'b', '--B--'),
    [['text/x-shellscript', 'a\nb', false]],
  ],
  [
    'are several',
    mime('--B', '', 'a', '--B', '', 'b', '--B--'),
    [
      ['text/plain', 'a', false],
      ['text/plain', 'b', false],
    ],
  ],
  ['are plain text without a type', mime('--B', '', 'a', '--B--'), [['text/plain', 'a', false]]],
  [
    'have a type in any letters',
    mime('--B', 'CONTENT-TYPE:  Text/Cloud-Config ', '', 'a', '--B--'),
    [['text/cloud-config', 'a', false]],
  ],
  [
    'may be in base64',
    mime('--B', 'Content-Transfer-Encoding: BASE64', '', 'YQ==', '--B--'),
    [['text/plain', 'YQ==', true]],
  ],
  [
    'may be in other encodings',
    mime('--B', 'Content-Transfer-Encoding: 7bit', '', 'a', '--B--'),
    [['text/plain', 'a', false]],
  ],
  [
    'may have headers over several lines',
    mime('--B', 'Content-Type:', '\ttext/cloud-config;', ' charset=x', '', 'a', '--B--'),
    [['text/cloud-config', 'a', false]],
  ],
  [
    'end with the closing line',
    mime('--B', '', 'a', '--B--', '--B', '', 'b'),
    [['text/plain', 'a', false]],
  ],
  ['may be empty', mime('--B', '', '--B--'), [['text/plain', '', false]]],
  [
    'may have blanks behind the boundary',
    mime('--B  ', '', 'a', '--B-- '),
    [['text/plain', 'a', false]],
  ],
  [
    'may have a boundary without quotes',
    'Content-Type: multipart/mixed; boundary=B\n\n--B\n\na\n--B--',
    [['text/plain', 'a', false]],
  ],
  [
    'may have returns, and blanks before the first header',
    `\n ${mime('--B', '', 'a', '--B--').replaceAll('\n', '\r\n')}`,
    [['text/plain', 'a', false]],
  ],
] as const;

const PART_HEADERS = [
  'Content-Disposition',
  'MIME-Version',
  'Merge-Type',
  'Number-Attachments',
  'Launch-Index',
  'X-My-Header',
  'From',
  'To',
  'Subject',
  'Date',
];

describe('parts of a MIME document', () => {
  for (const [title, text, parts] of SOUND_MIME)
    test(title, () => {
      const read = readMime(text);
      assert.deepEqual(
        read.parts.map(({ type, body, isBase64 }) => [type, body, isBase64]),
        parts,
      );
      assert.equal(read.fault, null);
    });

  for (const header of PART_HEADERS)
    test(`may have the header ${header}`, () => {
      assert.equal(readMime(mime('--B', `${header}: x`, '', 'a', '--B--')).fault, null);
    });
});

describe('a MIME document is broken', () => {
  for (const [title, text, parts, fault] of [
    [
      'without a boundary',
      'MIME-Version: 1.0\n\n--B',
      0,
      'its Content-Type header declares no boundary',
    ],
    [
      'when its headers go on',
      'Content-Type: multipart/mixed; boundary=B\nwords\n--B\n\na\n--B--',
      0,
      '“words” follows the headers without an empty line',
    ],
    [
      'when nothing is a part',
      mime('words'),
      0,
      'no line is “--B”, the boundary that its header declares',
    ],
    [
      'when the boundary is another',
      mime('--C.=/+_', '', 'a', '--C--'),
      0,
      'no line is “--B”, the boundary that its header declares (there is “--C.=/+_” instead)',
    ],
    [
      'when it is not closed',
      mime('--B', '', 'a', '--B', '', 'b'),
      1,
      'the closing line “--B--” is missing',
    ],
    [
      'when a part has no empty line',
      mime('--B', '', 'a', '--B', 'Subject: x', 'words', '', '--B--'),
      1,
      '“words” follows the headers of a part without an empty line',
    ],
    [
      'when a part goes on with a blank',
      mime('--B', ' words', '', '--B--'),
      0,
      '“words” follows the headers of a part without an empty line',
    ],
    [
      'when a line is long, which is cut',
      mime('--B', 'x'.repeat(100), '', '--B--'),
      0,
      `“${'x'.repeat(60)}” follows the headers of a part without an empty line`,
    ],
    [
      'when a header is none',
      mime('--B', 'Other: x', '', 'a', '--B--'),
      0,
      '“Other: x” follows the headers of a part without an empty line',
    ],
    [
      'when a header is quoted',
      mime('--B', 'my Subject: x', '', 'a', '--B--'),
      0,
      '“my Subject: x” follows the headers of a part without an empty line',
    ],
  ] as const)
    test(title, () => {
      const read = readMime(text);
      assert.deepEqual([read.parts.length, read.fault], [parts, fault]);
    });
});

describe('text', () => {
  for (const [text, looks] of [
    ['MIME-Version: 1.0', true],
    [' \n mime-version: 1.0', true],
    ['Content-Type:  multipart/mixed', true],
    ['Content-Type: text/plain', false],
    ['x MIME-Version: 1.0', false],
  ] as const)
    test(`"${text.trim()}" ${looks ? 'begins as a MIME document' : 'does not'}`, () => {
      assert.equal(looksLikeMime(text), looks);
    });

  for (const [title, lines, count] of [
    ['to its closing line', [...HEAD, '--B', '', 'a', '--B-- ', 'more'], 7],
    ['to the end of its headers where it is not closed', [...HEAD, '--B', '', 'a'], 3],
    ['not without a boundary', ['MIME-Version: 1.0', '', '--B--'], 0],
    ['not in other text', ['words', '--B--'], 0],
    ['not in no text', [], 0],
  ] as const)
    test(`is MIME ${title}`, () => assert.equal(mimeLineCount(lines), count));
});
