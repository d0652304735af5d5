import { shortForm } from './envelope.ts';

const FIELD = /^([A-Z_][A-Z0-9_]*)=(.*)$/;

/**
 * The entries of `journalctl -o export` as lines of the short format; null when the text is not one.
 * Source of the format: https://systemd.io/JOURNAL_EXPORT_FORMATS/
 */
export function journalExportLines(text: string): readonly string[] | null {
  if (!/^__CURSOR=.*\n(?:[A-Z_][A-Z0-9_]*[=\n])/.test(text)) return null;
  return text
    .split(/\n\n/)
    .map(entryOf)
    .filter((entry) => Object.keys(entry).length > 0)
    .map(shortForm);
}

function entryOf(block: string): Readonly<Record<string, string>> {
  const entry: Record<string, string> = {};
  const lines = block.split('\n');
  for (const [index, line] of lines.entries()) {
    const match = FIELD.exec(line);
    if (match !== null) entry[match[1] ?? ''] = match[2] ?? '';
    // A field with a line break is printed as its name, eight bytes of length, then the text.
    else if (line === 'MESSAGE') entry['MESSAGE'] = (lines[index + 1] ?? '').slice(8);
  }
  return entry;
}
