type Part = string | null | undefined;

function isMissing(value: Part): boolean {
  return value === null || value === undefined || value === '';
}

/**
 * A sentence of which a value may be missing: the blank before the missing value goes with it, so
 * that none is doubled and none stands before a comma.
 */
export function sentence(texts: TemplateStringsArray, ...values: readonly Part[]): string {
  return values.reduce<string>((before, value, index) => {
    const after = texts[index + 1] ?? '';
    if (!isMissing(value)) return before + value + after;
    return (/^(?:[ ,.;:)]|$)/.test(after) ? before.replace(/ $/, '') : before) + after;
  }, texts[0] ?? '');
}

/** A part of a sentence, empty where one of its values is missing. */
export function phrase(texts: TemplateStringsArray, ...values: readonly Part[]): string {
  return values.some(isMissing) ? '' : String.raw({ raw: texts }, ...values);
}
