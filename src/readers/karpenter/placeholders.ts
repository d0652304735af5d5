/** A text of a manifest; null for one that a program fills in before it is applied. */
export function known(text: string | null): string | null {
  return text === null || text === '' || /\$\{|\{\{|^<.*>$/.test(text) ? null : text;
}
