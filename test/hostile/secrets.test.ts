import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { diagnoseTexts } from '../../src/apps/cli/pile.ts';
import { renderMarkdown } from '../../src/diagnosis/report/markdown.ts';
import { renderText } from '../../src/diagnosis/report/text.ts';

const BASE64 = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const UPPER = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
const LOWER = Array.from('abcdefghijklmnopqrstuvwxyz0123456789');
const WORD = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789');

function text(alphabet: readonly string[], length: number): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
    .map((letters) => letters.join(''));
}

/** A secret, and the way in which logs and files carry it. */
interface Carried {
  readonly secret: string;
  readonly line: string;
}

function carried(
  secret: fc.Arbitrary<string>,
  ...forms: readonly ((secret: string) => string)[]
): fc.Arbitrary<Carried> {
  return fc
    .tuple(secret, fc.constantFrom(...forms))
    .map(([value, form]) => ({ secret: value, line: form(value) }));
}

const secretKey = text(BASE64, 37).map((rest) => `aB3${rest}`);

const SECRETS: Readonly<Record<string, fc.Arbitrary<Carried>>> = {
  'access key id': carried(
    text(UPPER, 16).map((rest) => `AKIA${rest}`),
    (s) => `AWS_ACCESS_KEY_ID=${s}`,
    (s) => `"AccessKeyId" : "${s}"`,
  ),
  'secret access key': carried(
    secretKey,
    (s) => `aws_secret_access_key = ${s}`,
    (s) => `"SecretAccessKey":"${s}"`,
    (s) => `secret ${s} given`,
  ),
  'session token': carried(
    text(BASE64, 180),
    (s) => `AWS_SESSION_TOKEN=${s}`,
    (s) => `"Token": "${s}"`,
    (s) => `--session-token ${s}`,
    (s) => `X-Amz-Security-Token=${s}&x=1`,
  ),
  'bearer token': carried(
    text(WORD, 32),
    (s) => `Authorization: Bearer ${s}`,
    (s) => `header "Bearer ${s}"`,
  ),
  'web token': carried(
    text(WORD, 40).map((rest) => `eyJhbGciOi${rest}.${rest}.${rest}`),
    (s) => `token is ${s}`,
    (s) => `body={"jwt":"${s}"}`,
  ),
  'cluster token': carried(
    text(WORD, 40).map((rest) => `k8s-aws-v1.${rest}`),
    (s) => `using ${s} now`,
  ),
  'bootstrap token': carried(
    fc.tuple(text(LOWER, 6), text(LOWER, 16)).map((parts) => parts.join('.')),
    (s) => `kubeadm join 10.0.0.1:6443 --token ${s}`,
    (s) => `tlsBootstrapToken: ${s}`,
  ),
  'proxy password': carried(
    text(WORD, 14),
    (s) => `HTTPS_PROXY=http://deploy:${s}@proxy.example.net:3128`,
    (s) => `proxyconnect http://u:${s}@10.0.0.9:8080/`,
  ),
  password: carried(
    text(WORD, 14),
    (s) => `password=${s}`,
    (s) => `"password": "${s}"`,
    (s) => `--password ${s}`,
  ),
  'kubeconfig key': carried(
    text(BASE64, 220).map((rest) => `aB3${rest}`),
    (s) => `client-key-data: ${s}`,
    (s) => `--b64-cluster-ca ${s}`,
  ),
  'private key': carried(
    text(BASE64, 64),
    (s) => `-----BEGIN RSA PRIVATE KEY----- ${s} -----END RSA PRIVATE KEY-----`,
  ),
  signature: carried(
    text(LOWER, 64),
    (s) => `https://sts.amazonaws.com/?X-Amz-Signature=${s}&X-Amz-Date=1`,
  ),
};

/** Each form of evidence, with the secret in a line that is quoted. */
const FORMS: Readonly<Record<string, (line: string) => string>> = {
  journal: (line) =>
    `Jun 06 19:42:03 ip-10-0-0-1 kubelet[21]: E0606 19:42:03.8 3214 kubelet_node_status.go:96] "Unable to register node with API server" err="Unauthorized ${line}" node="ip-10-0-0-1.ec2.internal"`,
  'journal as JSON': (line) =>
    JSON.stringify({
      _HOSTNAME: 'ip-10-0-0-1',
      SYSLOG_IDENTIFIER: 'kubelet',
      MESSAGE: `Unable to register node with API server: Unauthorized ${line}`,
    }),
  'event table': (line) =>
    `LAST SEEN   TYPE      REASON   OBJECT      MESSAGE\n10s         Warning   Failed   pod/web-1   Error: ErrImagePull ${line}`,
  'Node as JSON': (line) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'ip-10-0-0-1.ec2.internal' },
      status: {
        conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: line }],
      },
    }),
  'AWS answer': (line) =>
    JSON.stringify({
      nodegroup: {
        health: {
          issues: [
            {
              code: 'NodeCreationFailure',
              message: `Instances failed to join the kubernetes cluster ${line}`,
            },
          ],
        },
      },
    }),
  'user data': (line) => `<13>Aug  7 07:44:03 user-data: Unable to locate credentials ${line}`,
};

describe('no secret appears in any output', () => {
  for (const [form, write] of Object.entries(FORMS)) {
    for (const [kind, secrets] of Object.entries(SECRETS)) {
      test(`${kind} in ${form}`, async () => {
        await fc.assert(
          fc.asyncProperty(secrets, async ({ secret, line }) => {
            const document = await diagnoseTexts([
              { name: 'evidence.txt', text: `${write(line)}\n` },
            ]);
            assert.ok(
              document.subjects.length > 0,
              'the line must be quoted for the test to mean anything',
            );
            const printed = [
              JSON.stringify(document),
              renderMarkdown(document),
              renderText(document, { columns: 100_000, colour: false, paths: [] }),
            ];
            for (const output of printed)
              assert.ok(!output.includes(secret), `${secret} is in: ${output.slice(0, 800)}`);
          }),
          { numRuns: 8 },
        );
      });
    }
  }
});
