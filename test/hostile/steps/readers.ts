import type { Json } from '../../../src/evidence/json.ts';

/** Reads a text, as one reader of the product does. */
export type Read = (text: string) => unknown;

const INSTANCE = 'i-0123456789abcdef0';

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

async function documents(): Promise<Readonly<Record<string, Read>>> {
  const { createReading } = await import('../../../src/readers/reading.ts');
  const { compileSigns } = await import('../../../src/readers/sign-table.ts');
  const { SIGNS } = await import('../../../src/causes/index.generated.ts');
  const { savedContent } = await import('../../../src/readers/saved/content.ts');
  const { linesWithSigns } = await import('../../../src/readers/saved/sign-lines.ts');
  const { savedUserData } = await import('../../../src/readers/saved/user-data.ts');
  const { createAnonymizer } = await import('../../../src/readers/anonymous/anonymizer.ts');
  const table = compileSigns(SIGNS);
  const nothing = compileSigns([]);
  const encoder = new TextEncoder();
  const inPieces = (all: readonly (readonly string[])[]): unknown => {
    const reading = createReading(table);
    for (const [index, pieces] of all.entries()) {
      const reader = reading.open(`file-${index}`, 'all.tar');
      for (const piece of pieces) reader.push(encoder.encode(piece));
      reader.end();
    }
    return reading.finish();
  };
  const cut = (text: string): readonly string[] => text.match(/[^]{1,64}/g) ?? [];
  return {
    'document.ts': (text) => inPieces([cut(text)]),
    'reading.ts, a document of each line': (text) =>
      inPieces(text.split('\n').map((line) => [line])),
    'saved/content.ts': (text) => savedContent(parsed(text) ?? text, table, new Map()),
    'saved/sign-lines.ts': (text) => linesWithSigns(text, table),
    'saved/user-data.ts': (text) => savedUserData(INSTANCE, encoded(text), table, new Map()),
    'anonymous/anonymizer.ts': (text) => {
      const reading = createReading(nothing);
      reading.take('given', parsed(text));
      return createAnonymizer([reading.finish()], new Set()).text(text);
    },
  };
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

async function texts(): Promise<Readonly<Record<string, Read>>> {
  const { segments } = await import('../../../src/readers/text/segments.ts');
  const { parseJson, parseYamlDocuments } = await import('../../../src/readers/text/parse.ts');
  const { parseLinedYaml } = await import('../../../src/readers/text/yaml-lines.ts');
  const { leasesSaid } = await import('../../../src/readers/text/dhcp-lease.ts');
  const { clocksSaid } = await import('../../../src/readers/text/host-clock.ts');
  const { unpasted } = await import('../../../src/readers/pasted/paste.ts');
  const { textsOfRecord } = await import('../../../src/readers/pasted/json-text.ts');
  const { parseBareJson } = await import('../../../src/readers/pasted/bare-json.ts');
  const { commandIn } = await import('../../../src/readers/asked/command.ts');
  const { answerOf } = await import('../../../src/readers/asked/query.ts');
  const { createItemStream } = await import('../../../src/readers/text/item-stream.ts');
  const { looksLikeList, looksStructured } = await import('../../../src/readers/text/shape.ts');
  return {
    'text/segments.ts': (text) => [...segments(text.split(/\r?\n/))],
    'text/parse.ts, JSON': parseJson,
    'text/parse.ts, YAML': (text) => [...parseYamlDocuments(text.split(/\r?\n/), 1)],
    'text/yaml-lines.ts': (text) => parseLinedYaml(text),
    'text/dhcp-lease.ts': (text) => leasesSaid(text, text.split('\n')),
    'text/host-clock.ts': (text) => [...clocksSaid(text.split('\n'))],
    'text/item-stream.ts': (text) => {
      const stream = createItemStream(() => {});
      for (const piece of text.match(/[^]{1,64}/g) ?? []) stream.push(piece);
    },
    'pasted/paste.ts': (text) => unpasted(text.split(/\r?\n/)),
    'pasted/json-text.ts': (text) => textsOfRecord(parsed(text)),
    'pasted/bare-json.ts': parseBareJson,
    'asked/command.ts': (text) => [commandIn(text), text.split('\n').map(commandIn)],
    'asked/query.ts': (text) => answerOf(text, []),
    'text/shape.ts': (text) => [looksStructured(text), looksLikeList(text)],
  };
}

async function lines(): Promise<Readonly<Record<string, Read>>> {
  const { cleanLine } = await import('../../../src/readers/line/clean.ts');
  const { unwrapLine } = await import('../../../src/readers/line/envelope.ts');
  const { journalExportLines } = await import('../../../src/readers/line/journal-export.ts');
  const { documentSource, NOT_KNOWN, originOf } = await import(
    '../../../src/readers/line/origin.ts'
  );
  const { isCommandEcho } = await import('../../../src/readers/line/prompt.ts');
  const { reporterOf } = await import('../../../src/readers/line/reporter.ts');
  const { parseAgeMs, parseWhen } = await import('../../../src/readers/line/timestamps.ts');
  const { zoneOffsetMs } = await import('../../../src/readers/line/zones.ts');
  const { decodeText, isBinary } = await import('../../../src/readers/encoding.ts');
  const encoder = new TextEncoder();
  const both =
    (read: Read): Read =>
    (text) => [read(text), text.split('\n').map(read)];
  return {
    'line/clean.ts': both(cleanLine),
    'line/envelope.ts': both(unwrapLine),
    'line/journal-export.ts': (text) => journalExportLines(`__CURSOR=a\n_HOSTNAME=b\n${text}`),
    'line/origin.ts': both((text) => [originOf(text, NOT_KNOWN), documentSource([text])]),
    'line/prompt.ts': both(isCommandEcho),
    'line/reporter.ts': both(reporterOf),
    'line/timestamps.ts': both((text) => [parseWhen(text), parseAgeMs(text)]),
    'line/zones.ts': (text) => [zoneOffsetMs([text]), zoneOffsetMs(text.split('\n'))],
    'encoding.ts': (text) => [decodeText(encoder.encode(text)), isBinary(encoder.encode(text))],
  };
}

async function objects(): Promise<Readonly<Record<string, Read>>> {
  const { awsAuthOfLines, parseAwsAuth } = await import('../../../src/readers/kube/aws-auth.ts');
  const { readMime } = await import('../../../src/readers/aws/mime.ts');
  const { readUserData } = await import('../../../src/readers/aws/user-data.ts');
  const { reservedLabelsOf } = await import('../../../src/readers/aws/kubelet-labels.ts');
  return {
    'kube/aws-auth.ts': (text) => [
      awsAuthOfLines(text.split('\n')),
      parseAwsAuth({ data: { mapRoles: text } }),
    ],
    'aws/mime.ts': (text) => [
      readMime(text),
      readMime(`Content-Type: multipart/mixed; boundary="B"\n\n${text}`),
    ],
    'aws/user-data.ts': (text) => readUserData(INSTANCE, encoded(text)),
    'aws/kubelet-labels.ts': reservedLabelsOf,
  };
}

async function secrets(): Promise<Readonly<Record<string, Read>>> {
  const shown = await import('../../../src/evidence/redact.ts');
  const { redactAssignments } = await import('../../../src/evidence/secrets/assignments.ts');
  return {
    'evidence/redact.ts, redact': shown.redact,
    'evidence/redact.ts, printable': shown.printable,
    'evidence/redact.ts, excerpts': (text) => [
      shown.excerptOf(text),
      shown.excerptAround(text, text),
      shown.excerptWithin(text, text),
    ],
    'evidence/redact.ts, values': (text) =>
      shown.redactKeys(shown.redactValue(parsed(text) ?? { [text]: text })),
    'evidence/secrets/assignments.ts': redactAssignments,
  };
}

/** Every reader, by its file; they are loaded when this is called. */
export async function loadReaders(): Promise<Readonly<Record<string, Read>>> {
  return {
    ...(await texts()),
    ...(await lines()),
    ...(await objects()),
    ...(await secrets()),
    ...(await documents()),
  };
}
