/** A document as programs read it; in YAML what occurs twice is written twice, as kubectl does. */
export async function structured(value: object, format: 'json' | 'yaml'): Promise<string> {
  if (format === 'json') return [...jsonTexts(value)].join('');
  const { dump } = await import('js-yaml');
  return dump(value, { lineWidth: 100, noRefs: true });
}

/** The same JSON in pieces, so that a document of thousands of machines is never one text. */
export function* jsonTexts(value: object): Generator<string> {
  const fields = Object.entries(value).filter(([, entry]) => entry !== undefined);
  if (Array.isArray(value) || fields.length === 0) {
    yield `${printed(value, '')}\n`;
    return;
  }
  let before = '{';
  for (const [name, entry] of fields) {
    yield `${before}\n  ${JSON.stringify(name)}: `;
    if (Array.isArray(entry) && entry.length > 0) yield* itemTexts(entry);
    else yield printed(entry, '  ');
    before = ',';
  }
  yield '\n}\n';
}

function* itemTexts(items: readonly unknown[]): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield `${before}\n    ${printed(item, '    ')}`;
    before = ',';
  }
  yield '\n  ]';
}

/** What stands for nothing in a list is null there, as in any JSON. */
function printed(value: unknown, indent: string): string {
  const text = JSON.stringify(value, null, 2) as string | undefined;
  return (text ?? 'null').replaceAll('\n', `\n${indent}`);
}
