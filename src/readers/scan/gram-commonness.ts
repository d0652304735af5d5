/**
 * Words of kubelet, containerd, ipamd, cloud-init and systemd logs on AWS machines, the commonest
 * first. A window of an anchor that lies inside one of them would be found in every other line.
 */
const COMMON_WORDS = (
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
  '"caller":" .go: "msg":" 2026- T00:00: unable cannot could invalid missing no such'
).split(' ');

/** Bytes of the same logs, the commonest first; a byte that is not listed is rarer than all. */
const COMMON_BYTES =
  ' e0t1ioan2rscd34l5.6u7p8/9-bm":fg,hk=vyw[]_I()TESx{}CADPRNLMzOjBFVUqGKWHYXQJZ';

const WORD_HEAD_START = 10;
const BYTE_HEAD_START = 3;
const BYTE_SHARE = 0.5;

function wordGrams(): ReadonlyMap<number, number> {
  const grams = new Map<number, number>();
  const encoder = new TextEncoder();
  for (const [rank, word] of COMMON_WORDS.entries()) {
    const bytes = encoder.encode(` ${word} `);
    for (let at = 0; at + 4 <= bytes.length; at++) {
      const gram = gramAt(bytes, at);
      if (!grams.has(gram)) grams.set(gram, 1 / (WORD_HEAD_START + rank));
    }
  }
  return grams;
}

function byteCommonness(): Float64Array {
  const rarest = 1 / (BYTE_HEAD_START + COMMON_BYTES.length);
  const table = new Float64Array(256).fill(rarest);
  for (let rank = 0; rank < COMMON_BYTES.length; rank++) {
    table[COMMON_BYTES.charCodeAt(rank)] = 1 / (BYTE_HEAD_START + rank);
  }
  return table;
}

/** The four bytes from `at` on as one little-endian number, as an `Int32Array` reads them. */
export function gramAt(bytes: Uint8Array, at: number): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8);
  return low | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

/**
 * Builds the estimate of how often four bytes occur in logs: a number that only orders grams,
 * larger for commoner ones. It is a fixed table, so the same anchors always get the same windows.
 */
export function createCommonness(): (gram: number) => number {
  const words = wordGrams();
  const bytes = byteCommonness();
  return (gram) => {
    const low = bytes[gram & 255]! * bytes[(gram >>> 8) & 255]!;
    const high = bytes[(gram >>> 16) & 255]! * bytes[gram >>> 24]!;
    return (words.get(gram) ?? 0) + BYTE_SHARE * low * high;
  };
}
