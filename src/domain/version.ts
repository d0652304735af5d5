/** A release of a program: `v1.21.2-eksbuild.1` is [1, 21, 2]. */
export type Version = readonly [major: number, minor: number, patch: number];

const VERSION = /^[^\d]{0,20}(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?!\d)/;

/** The numbers of a version, null for text that has none; a missing patch counts as 0. */
export function versionOf(text: string): Version | null {
  const match = VERSION.exec(text.trim());
  return match === null ? null : [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

/** Negative when `a` is older than `b`, 0 when they are the same release. */
export function compareVersions(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** Whether a version is that release or a later one; null when either cannot be read. */
export function isAtLeast(version: string | null, release: string): boolean | null {
  const [have, need] = [version === null ? null : versionOf(version), versionOf(release)];
  return have === null || need === null ? null : compareVersions(have, need) >= 0;
}
