/** Links of a page of net/http's file server, of which each is a name; a folder's ends with a slash. */
const LINK = /<a href="([^"<>\s]{1,255})">/g;
const NAMES_MAX = 2000;

/**
 * The names that a folder of logs lists. Only those that the plan has are ever asked for, so that
 * what a machine calls its files leads nowhere else.
 */
export function namesInListing(page: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, name = ''] of page.matchAll(LINK)) {
    if (names.size >= NAMES_MAX) break;
    names.add(name);
  }
  return names;
}
