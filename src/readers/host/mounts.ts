const LINES_MAX = 20_000;

export interface Mount {
  readonly point: string;
  /** Of the file system itself, as the kernel leaves it after an error; not of this mount alone. */
  readonly isReadOnly: boolean;
}

/** The mount that holds a path, by `/proc/self/mountinfo`; null when none is listed. */
export function readMount(mountinfo: string, path: string): Mount | null {
  let best: Mount | null = null;
  for (const line of mountinfo.split('\n', LINES_MAX)) {
    const mount = mountIn(line);
    if (mount === null || !isBelow(path, mount.point)) continue;
    // Of two at one place the later covers the earlier.
    if (best === null || mount.point.length >= best.point.length) best = mount;
  }
  return best;
}

function mountIn(line: string): Mount | null {
  const [before = '', after = ''] = line.split(' - ', 2);
  const point = before.split(' ')[4];
  const options = after.split(' ')[2];
  if (point === undefined || options === undefined) return null;
  return { point: unescaped(point), isReadOnly: options.split(',').includes('ro') };
}

/** The kernel writes blanks in paths as octal numbers. */
function unescaped(point: string): string {
  return point.replaceAll('\\040', ' ').replaceAll('\\134', '\\');
}

function isBelow(path: string, point: string): boolean {
  return point === '/' || path === point || path.startsWith(`${point}/`);
}
