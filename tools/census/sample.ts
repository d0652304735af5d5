/** A message as its program would print it: its verbs filled with values that fit the words. */
import { PLACE, readable } from './fold.ts';

/** What the words before a value say that it is. */
const BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/subnets?\W{0,6}$/i, 'subnet-0a1b2c3d4e5f60718'],
  [/security ?groups?\W{0,6}$/i, 'sg-0a1b2c3d4e5f60718'],
  [/\b(?:eni|network ?interface|attachment)s?(?: id)?\W{0,6}$/i, 'eni-0a1b2c3d4e5f60718'],
  [/\bvolumes?(?: id)?\W{0,6}$/i, 'vol-0a1b2c3d4e5f60718'],
  [/\b(?:instance|machine)(?:[ -]?id)?s?\W{0,6}$/i, 'i-0a1b2c3d4e5f60718'],
  [/instance ?types?\W{0,6}$/i, 'm5.large'],
  [/\bprovider ?ids?\W{0,6}$/i, 'aws:///us-east-1a/i-0a1b2c3d4e5f60718'],
  [/\b(?:node|host|hostname|nodename)(?: name)?s?\W{0,6}$/i, 'ip-10-0-1-23.ec2.internal'],
  [/\bpods?\W{0,6}$/i, 'kube-system/coredns-5d78c9869d-abcde'],
  [/\bcontainers?\W{0,6}$/i, 'aws-node'],
  [/\b(?:ip|address|addr)(?:es)?\W{0,6}$/i, '10.0.1.23'],
  [/\bcidrs?\W{0,6}$/i, '10.0.0.0/16'],
  [/\b(?:path|file|dir|directory|config|socket)\W{0,6}$/i, '/etc/kubernetes/kubelet.conf'],
  [/\b(?:url|endpoint|server)\W{0,6}$/i, 'https://10.0.0.1:443'],
  [/\bimages?\W{0,6}$/i, 'registry.k8s.io/pause:3.10'],
  [/\bcluster(?: name)?\W{0,6}$/i, 'prod'],
  [/\b(?:role|arn)\W{0,6}$/i, 'arn:aws:iam::111122223333:role/node'],
  [/\bregions?\W{0,6}$/i, 'us-east-1'],
  [/\bversions?\W{0,6}$/i, 'v1.34.4'],
  [/\b(?:status|code)\W{0,6}$/i, '403'],
  [/\btaints?\W{0,6}$/i, 'node.kubernetes.io/not-ready:NoSchedule'],
  [/\bnodeclass(?:es)?\W{0,6}$/i, 'default'],
];

const NUMBERS = new Set(['d', 'x', 'X', 'f', 'g', 'b', 'o', 'c']);
const VERB = /%%|%(?:\[\d+\])?[-+# 0]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?([a-zA-Z])/g;

/** The message with values in place of its verbs. */
export function sampleOf(text: string): string {
  const filled = text.replaceAll(VERB, (verb, letter: string | undefined, at: number) =>
    letter === undefined ? '%' : valueFor(letter, text.slice(0, at), verb),
  );
  return readable(filled).replaceAll(PLACE, 'value');
}

function valueFor(letter: string, before: string, verb: string): string {
  if (NUMBERS.has(letter)) return '3';
  if (letter === 'w' || /(?:\berr(?:or)?|because|due to|failed|with)\W{0,6}$/i.test(before))
    return 'context deadline exceeded';
  const value = BY_WORDS.find(([words]) => words.test(before))?.[1] ?? 'value';
  return letter === 'q' || verb.includes('#') ? `"${value}"` : value;
}

/** The lines in which a program may print the message; each is one that Rollcall may be given. */
export function linesOf(text: string): readonly string[] {
  const message = sampleOf(text);
  const file = 'main.go:123';
  return [
    message,
    `E1124 14:43:30.000000    1234 ${file}] ${message}`,
    `E1124 14:43:30.000000    1234 ${file}] "${message}" err="context deadline exceeded" node="ip-10-0-1-23.ec2.internal" pod="kube-system/coredns-5d78c9869d-abcde"`,
    `E1124 14:43:30.000000    1234 ${file}] "Unhandled Error" err="${message}: context deadline exceeded"`,
    `{"level":"error","ts":"2026-11-24T14:43:30.000Z","caller":"${file}","msg":"${message}","error":"context deadline exceeded"}`,
    `time="2026-11-24T14:43:30.000Z" level=error msg="${message}" error="context deadline exceeded"`,
    `Warning ${message} node/ip-10-0-1-23.ec2.internal ${message}`,
    `Node ip-10-0-1-23.ec2.internal condition Ready=False ${message} ${message}`,
  ];
}
