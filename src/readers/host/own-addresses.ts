const LINES_MAX = 200_000;
const ADDRESS = /\|-- (?<address>[\d.]+)$/;

/** The machine's own addresses in `/proc/net/fib_trie`, each once. */
export function readOwnAddresses(text: string): readonly string[] {
  const found = new Set<string>();
  let last = '';
  for (const line of text.split('\n', LINES_MAX)) {
    last = ADDRESS.exec(line)?.groups?.['address'] ?? last;
    if (line.endsWith('/32 host LOCAL')) found.add(last);
  }
  return [...found];
}
