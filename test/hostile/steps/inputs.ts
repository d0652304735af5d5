/** Texts that tempt a reader to look at the same place again and again, by their size. */

/** @returns a text of about this many characters */
export type Make = (size: number) => string;

function repeated(piece: string): Make {
  return (size) => piece.repeat(Math.ceil(size / piece.length));
}

/** Something once, then pieces without an end. */
function after(head: string, piece: string, tail = ''): Make {
  return (size) => `${head}${repeated(piece)(size)}${tail}`;
}

/** As many of one piece as of another that closes it. */
function nested(open: string, close: string, within = ''): Make {
  return (size) => {
    const depth = Math.ceil(size / (open.length + close.length));
    return `${open.repeat(depth)}${within}${close.repeat(depth)}`;
  };
}

/** Pieces each of which has a number of its own. */
function numbered(piece: (index: number) => string, head = '', tail = ''): Make {
  return (size) => {
    const pieces = [head];
    for (let index = 0, length = 0; length < size; index++) {
      const one = piece(index);
      pieces.push(one);
      length += one.length;
    }
    return `${pieces.join('')}${tail}`;
  };
}

/** Each line further in than the one before it. */
function deeper(line: string): Make {
  return (size) => {
    const lines: string[] = [];
    for (let length = 0; length < size; length += lines.length + line.length)
      lines.push(' '.repeat(lines.length) + line);
    return lines.join('');
  };
}

/** As many names as uses of all of them. */
function anchors(size: number): string {
  const half = Math.ceil(size / 2 / 12);
  const made = Array.from({ length: half }, (_, index) => `k${index}: &a${index} [x]\n`);
  const used = Array.from({ length: half }, (_, index) => `- *a${index}\n`);
  return `${made.join('')}list:\n${used.join('')}`;
}

const RECORD = 'Jun 06 19:42:03 ip-10-0-0-1 kubelet[21]: ';
const KLOG = 'E0606 19:42:03.800000 3214 kubelet_node_status.go:96] ';
const SAID = '"Unable to register node with API server" err="Unauthorized"';
const POD =
  '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default"},"spec":{"nodeName":"ip-10-0-0-1.ec2.internal"}}';

const PIECES: readonly string[] = [
  // Brackets and quotes that nothing closes.
  '{\n',
  '[\n',
  '{"a":\n',
  '{"\n',
  '[preflight] a [\n',
  '{',
  '[[',
  '{"a":',
  '"',
  "'",
  '(<',
  '\\"',
  '\\',
  // Heads of passages, over and over.
  'NAME  STATUS  ROLES  AGE  VERSION\n',
  'LAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n',
  'NAME  ',
  'Name:  x\nRoles:  y\n',
  'Name:  x\nRoles:  y\nConditions:\n  Ready\n',
  'mapRoles: |\n',
  'items:\n',
  'items:\n- a\n',
  '---\n',
  'kind: Node\n',
  'apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n',
  'lease {\n',
  'lease { fixed-address 10.0.0.1; }\n',
  '# This is private data. Do not parse.\n',
  'remote refid st t when poll reach delay offset jitter\n',
  'System time : 1.0 seconds slow of NTP time\n',
  '__CURSOR=s=1\nMESSAGE=a\n\n',
  '--B\n\n',
  '--B\n',
  '$ kubectl get nodes\n',
  `${RECORD}${KLOG}${SAID}\n`,
  `> ${RECORD}${KLOG}${SAID}\n`,
  `${RECORD}${KLOG}${SAID}\r\n`,
  `${RECORD}\n  goes on\n`,
  'goes on\n',
  '  goes on\n',
  '{}\n',
  '{"log":"a"}\n',
  `{"MESSAGE":"a","__REALTIME_TIMESTAMP":"1717702923000000"}\n`,
  `${POD}\n`,
  // YAML.
  '- ',
  '? ',
  'a: ',
  'a: b\n',
  'a: |\n',
  'a: "\n',
  "- '\n",
  '&a ',
  '*a ',
  '!!a ',
  '<<: *a\n',
  'a: &a {b: c}\n<<: *a\n',
  '#\n',
  ': \n',
  // Blanks and ends of lines.
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\r',
  ' \n',
  '-',
  '.',
  '\u001b[',
  '\u001b[31m',
  '\u001b]0;',
  '\u001b]0;a\u0007',
  '\u202e',
  '\u201c',
  '\ue000',
  '&',
  '&amp;',
  '""',
  // Words.
  'a',
  'A',
  '1',
  'aB3',
  'AbCd1234+/',
  '0123456789abcdef',
  '=',
  'a.',
  'a/',
  'a-',
  'a=',
  'a=b ',
  'a:',
  'a,',
  'a@',
  'a ',
  '1.',
  '1:',
  'ab:',
  '::',
  // Secrets that do not end.
  'password=',
  'password: "',
  "password='",
  'password: |\n',
  'password: |\n  a\n',
  '"password",',
  '--password ',
  'token ',
  'key ',
  '<password>',
  'name: password, value: ',
  'Bearer ',
  'eyJ',
  'ey',
  'eyJhbGciOiJI.',
  '-----BEGIN PRIVATE KEY-----\n',
  '-----END PRIVATE KEY-----\n',
  'MIIEvQIBADANBgkqhkiG9w0B\n',
  'ghp_',
  'echo ',
  'curl -u a:',
  'docker login ',
  'mysql -p',
  '://a:b@',
  '://',
  '| ',
  '<<<',
  'chpasswd:\n a:',
  'Cookie: a;',
  'Cookie: ',
  '%3A%2F%2Fa',
  'arn:aws:iam::123456789012:role/',
  'arn:aws:secretsmanager:',
  'kubernetes.io/cluster/',
  'eksctl-a-',
  '/etc/eks/bootstrap.sh ',
  '/etc/eks/bootstrap.sh \\\n',
  '--node-labels=a/b,',
  '[settings.kubernetes]\n',
  'kubeadm join abcdef.0123456789abcdef\n',
];

/** Texts that are more than one piece over and over. */
const COMPOSED: Readonly<Record<string, Make>> = {
  'brackets that close': nested('{\n', '}\n'),
  'brackets of words that close': nested('[preflight] [\n', ']\n'),
  'brackets in one line': nested('[', ']', '1'),
  'objects in one line': nested('{"a":', '}', '1'),
  'a table without an end': after('NAME  STATUS  ROLES  AGE  VERSION\n', 'ip-10-0-0-1  Ready\n'),
  'a table with many columns': after('NAME  STATUS  ROLES  ', 'A  ', '\na  b  c\n'),
  'events without an end': after(
    'LAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n',
    '10s  Warning  Failed  pod/web  Error\n',
  ),
  'one describe block': after('Name:  a\nRoles:  b\nLabels:  c=d\n', '         e=f\n'),
  'a describe block of a pod': after('Name:  a\nNamespace:  b\n', 'Node:  c\n  d: e\n'),
  'a describe block with events': after(
    'Name:  a\nRoles:  b\nEvents:\n',
    '  Warning  Failed  10s  kubelet  Error\n',
  ),
  'deeper and deeper': deeper('a:\n'),
  'deeper and deeper in lists': deeper('- a\n'),
  'names of all values': anchors,
  'fields of one object': numbered(
    (index) => `k${index}: v\n`,
    'kind: ConfigMap\napiVersion: v1\n',
  ),
  'a long list of YAML': after('apiVersion: v1\nkind: List\nitems:\n', '- kind: Pod\n  a: b\n'),
  'a map of roles': after('mapRoles: |\n', '- rolearn: arn:aws:iam::123456789012:role/a\n'),
  'maps in one another': after('mapRoles: |\n', '  mapUsers: |\n'),
  'one record that goes on': after(RECORD, '\n and goes on'),
  'a list of pods': after('{"kind":"List","apiVersion":"v1","items":[{}', `,${POD}`, ']}'),
  'a list that does not end': after('{"kind":"List","apiVersion":"v1","items":[', `${POD},`),
  'instances of one answer': numbered(
    (index) => `,{"InstanceId":"i-${String(index).padStart(17, '0')}"}`,
    '{"Reservations":[{"Instances":[{}',
    ']}]}',
  ),
  'interfaces of one instance': numbered(
    (index) => `,{"NetworkInterfaceId":"eni-${String(index).padStart(17, '0')}"}`,
    '{"Reservations":[{"Instances":[{"InstanceId":"i-0123456789abcdef0","NetworkInterfaces":[{}',
    ']}]}]}',
  ),
  'tags of one instance': numbered(
    (index) => `,{"Key":"k${index}","Value":"v"}`,
    '{"Reservations":[{"Instances":[{"InstanceId":"i-0123456789abcdef0","Tags":[{}',
    ']}]}]}',
  ),
  'what a command printed': after(
    '{"InstanceId":"i-0123456789abcdef0","StandardOutputContent":"',
    '{\\n',
    '"}',
  ),
  'conditions of one Node': after(
    '{"kind":"Node","apiVersion":"v1","metadata":{"name":"a"},"status":{"conditions":[{}',
    ',{"type":"Ready","status":"False","message":"a"}',
    ']}}',
  ),
  'user data of parts': after(
    'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n',
    '--B\n\n',
  ),
  'a header that goes on': after('Content-Type: multipart/mixed;\n', ' a\n'),
  'a script that goes on': after('#!/bin/bash\n/etc/eks/bootstrap.sh a ', '--b c '),
  'settings in lines': after('[settings.kubernetes]\n', '"cluster-name" = "a"\n'),
  'hosts of many domains': numbered((index) => `node-${index}.a.example.org `),
};

export const INPUTS: Readonly<Record<string, Make>> = {
  ...Object.fromEntries(PIECES.map((piece) => [JSON.stringify(piece), repeated(piece)])),
  ...COMPOSED,
};
