/**
 * An entry that comes into a text or goes from it, and its line. Lines of others are not shown:
 * nobody knows what people keep in their comments.
 *
 * @param text in which the entry is
 */
export function entryDiff(text: string, inserted: string, mark: '+' | '-'): readonly string[] {
  const at = text.lastIndexOf(inserted) + (inserted.length - inserted.trimStart().length);
  const line = text.slice(0, at).split('\n').length;
  const rows = inserted.replaceAll('\r', '').split('\n');
  return [
    `mapRoles, line ${line}:`,
    ...rows.filter((row) => row.trim() !== '').map((row) => `${mark} ${row}`),
  ];
}
