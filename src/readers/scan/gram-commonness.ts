/**
 * Words of kubelet, containerd, ipamd, cloud-init and systemd logs on AWS machines, the commonest
 * first. A window of an anchor that lies inside one of them would be found in every other line.
 */
const COMMON_WORDS =
  'container node pod error kubelet namespace failed volume name image network instance ' +
  'containerd .internal compute kubernetes system time level= info for with from interface ' +
  'address status event state start started running created service host update request ' +
  'response timeout connection config configuration cluster default secret mount operation ' +
  'runtime sandbox plugin version cgroup process command option message reason file path unit ' +
  'value type data device the not found was and api aws ec2 eni ipamd region role credential ' +
  'token certificate server client get list watch create delete amazonaws.com io.containerd ' +
  'k8s.io kube-system kube-api-access msg=" error=" namespace=" pod=" podUID=" containerID=" ' +
  'err=" rpc error: code = Unknown desc = context deadline exceeded http:// https:// /var/lib/ ' +
  '/var/log/ /run/ /etc/ .service .slice .scope 169.254. 10.0. 172.31. {"level":" "ts":" ' +
  '"caller":" .go: "msg":" 2026- T00:00: unable cannot could invalid missing no such';

/** Bytes of the same logs, the commonest first; a byte that is not listed is rarer than all. */
const COMMON_BYTES =
  ' e0t1ioan2rscd34l5.6u7p8/9-bm":fg,hk=vyw[]_I()TESx{}CADPRNLMzOjBFVUqGKWHYXQJZ';

/** More than four bytes can score. */
const WORD_SCORE = 400;

/** Estimates how often the four bytes at each place of a text occur in logs. */
export interface Commonness {
  /** By gram: the score of those that are in a common word. */
  readonly words: ReadonlyMap<number, number>;
  /** By byte: the logarithm of an estimate of its frequency. */
  readonly bytes: Uint8Array;
}

/** The four bytes from `at` on as one little-endian number, as an `Int32Array` reads them. */
export function gramAt(bytes: Uint8Array, at: number): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8);
  return low | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

function wordScores(): ReadonlyMap<number, number> {
  const scores = new Map<number, number>();
  const bytes = new TextEncoder().encode(` ${COMMON_WORDS} `);
  for (let at = 0; at + 4 <= bytes.length; at++) {
    const gram = gramAt(bytes, at);
    if (!scores.has(gram)) scores.set(gram, WORD_SCORE + bytes.length - at);
  }
  return scores;
}

function byteScores(): Uint8Array {
  const scores = new Uint8Array(256);
  for (let rank = 0; rank < COMMON_BYTES.length; rank++) {
    const times = (COMMON_BYTES.length + 3) / (rank + 3);
    scores[COMMON_BYTES.charCodeAt(rank)] = 8 * Math.log2(times);
  }
  return scores;
}

/** The fixed table of the scanner: the same anchors get the same windows on every machine. */
export function createCommonness(): Commonness {
  return { words: wordScores(), bytes: byteScores() };
}

/**
 * Puts where the commonness of a gram is least among the first `length` bytes, for the grams at
 * each remainder modulo 4, into `rarest`. One loop without calls: it runs before any code is hot.
 */
export function findRarest(
  { words, bytes: scores }: Commonness,
  bytes: Uint8Array,
  length: number,
  rarest: Int32Array,
): void {
  const lowest = [Infinity, Infinity, Infinity, Infinity];
  let gram = 0;
  let score = 0;
  for (let last = 0; last < length; last++) {
    score += scores[bytes[last]!]! - scores[gram & 255]!;
    gram = (gram >>> 8) | (bytes[last]! << 24);
    if (last < 3) continue;
    const phase = (last - 3) & 3;
    // A word only makes it commoner.
    if (score >= lowest[phase]!) continue;
    const commonness = score + (words.get(gram) ?? 0);
    if (commonness >= lowest[phase]!) continue;
    lowest[phase] = commonness;
    rarest[phase] = last - 3;
  }
}
