import fc from 'fast-check';

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const WORD = UPPER + LOWER + DIGITS;
const BASE64 = `${WORD}+/`;

/** A secret as logs and files carry it, and the parts of it that no output may show. */
export interface Carried {
  readonly text: string;
  readonly parts: readonly string[];
}

function letters(alphabet: string, length: number): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...Array.from(alphabet)), { minLength: length, maxLength: length })
    .map((chosen) => chosen.join(''));
}

const PART = 12;

/** Pieces of a secret that name it: a short one as a whole, else every twelve characters. */
function partsOf(secret: string): readonly string[] {
  const parts: string[] = [];
  for (let start = 0; start + PART <= secret.length; start += PART)
    parts.push(secret.slice(start, start + PART));
  return parts.length === 0 ? [secret] : parts;
}

function carried(
  secret: fc.Arbitrary<string>,
  ...ways: readonly ((secret: string) => string)[]
): fc.Arbitrary<Carried> {
  return fc
    .tuple(secret, fc.constantFrom(...ways))
    .map(([value, way]) => ({ text: way(value), parts: partsOf(value) }));
}

function wrapped(body: string, between: string): string {
  return (body.match(/.{1,64}/g) ?? []).join(between);
}

const keyBody = letters(BASE64, 640).map((rest) => `MIIEow${rest}Q==`);
const BEGIN = '-----BEGIN RSA PRIVATE KEY-----';
const END = '-----END RSA PRIVATE KEY-----';

/** The parts without the first and the last line, whose rests may be shorter than any sign of a key. */
const keyForms: fc.Arbitrary<Carried> = carried(
  keyBody,
  (s) => `${BEGIN} ${wrapped(s, ' ')} ${END}`,
  (s) => `${BEGIN}\\n${wrapped(s, '\\n')}\\n${END}\\n`,
  (s) => `key="${BEGIN}\\n${wrapped(s, '\\n')}\\n`,
  (s) => `${BEGIN} ${wrapped(s, ' ')}`,
  (s) => `${wrapped(s, ' ')} ${END}`,
  (s) => `${wrapped(s, '\\n')}\\n${END}`,
  (s) => `${BEGIN.replace('RSA ', '')} ${s} ${END.replace('RSA ', '')}`,
  (s) => wrapped(s, ' '),
);

const password = letters(WORD, 14).map((rest) => `p${rest}7,}&x!]q`);

/** Every kind of secret, in the forms in which evidence has it. */
export const SECRETS: Readonly<Record<string, fc.Arbitrary<Carried>>> = {
  'access key id': carried(
    fc.tuple(fc.constantFrom('AKIA', 'ASIA'), letters(`${UPPER}234567`, 16)).map((s) => s.join('')),
    (s) => `AWS_ACCESS_KEY_ID=${s}`,
    (s) => `"AccessKeyId" : "${s}"`,
    (s) => `key_${s}_used`,
    (s) => s,
  ),
  'secret access key': carried(
    letters(BASE64, 37).map((rest) => `aB3${rest}`),
    (s) => `aws_secret_access_key = ${s}`,
    (s) => `"SecretAccessKey":"${s}"`,
    (s) => `secret ${s} given`,
    (s) => `X=${s}`,
  ),
  'session token': carried(
    letters(BASE64, 340).map((rest) => `IQoJb3JpZ2luX2Vj${rest}==`),
    (s) => `AWS_SESSION_TOKEN=${s}`,
    (s) => `"SessionToken": "${s}"`,
    (s) => `--session-token ${s}`,
    (s) => `X-Amz-Security-Token=${s}&x=1`,
    (s) => `session ${s}`,
  ),
  'bearer token': carried(
    letters(`${WORD}-_`, 32),
    (s) => `Authorization: Bearer ${s}`,
    (s) => `header "Bearer ${s}"`,
  ),
  'web token': carried(
    letters(`${WORD}-_`, 40).map((rest) => `eyJhbGciOi${rest}.${rest}.${rest}`),
    (s) => `token is ${s}`,
    (s) => `body={"jwt":"${s}"}`,
    (s) => `id_${s}`,
  ),
  'cluster token': carried(letters(`${WORD}-_`, 40), (s) => `using k8s-aws-v1.${s} now`),
  'bootstrap token': carried(
    fc.tuple(letters(LOWER + DIGITS, 6), letters(LOWER + DIGITS, 16)).map((s) => s.join('.')),
    (s) => `kubeadm join 10.0.0.1:6443 --token ${s}`,
    (s) => `tlsBootstrapToken: ${s}`,
    (s) => `the token "${s}" is known`,
    (s) => `token_${s}_known`,
  ),
  'private key': keyForms,
  kubeconfig: carried(
    letters(BASE64, 220).map((rest) => `LS0tLS1CRUdJTi${rest}`),
    (s) => `client-key-data: ${s}`,
    (s) => `--b64-cluster-ca ${s}`,
    (s) => `certificate-authority-data: "${s}"`,
  ),
  'user data': carried(
    password,
    (s) => `export DB_PASSWORD=${s}`,
    (s) => `export DB_PASSWORD='two words ${s}'`,
    (s) => `export MYSQL_PWD=${s}`,
    (s) => `API_KEY=${s}`,
    (s) => `curl -u deploy:${s} https://example.net/`,
    (s) => `curl --user 'deploy:${s}' https://example.net/`,
    (s) => `join.sh --registry-password=${s}`,
    (s) => `join.sh --token '${s}'`,
    (s) => `-H X-Vault-Token:${s}`,
  ),
  'proxy password': carried(
    letters(WORD, 14).map((rest) => `${rest}@7`),
    (s) => `HTTPS_PROXY=http://deploy:${s}@proxy.example.net:3128`,
    (s) => `proxyconnect http://u:${s}@10.0.0.9:8080/`,
    (s) => `http_proxy=deploy:${s}@10.0.0.9:8080`,
  ),
  'repository token': carried(
    letters(WORD, 36),
    (s) => `git clone https://ghp_${s}@github.com/a/b`,
    (s) => `ghp_${s}`,
    (s) => `glpat-${s}`,
  ),
  signature: carried(
    letters('abcdef0123456789', 64),
    (s) => `https://sts.amazonaws.com/?X-Amz-Signature=${s}&X-Amz-Date=1`,
  ),
};
