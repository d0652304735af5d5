import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import forge from 'node-forge';
import type { JsonObject } from '../../evidence/json.ts';
import { PortError } from '../../ports/port-error.ts';
import type { KubeEnvironment } from './environment.ts';
import type { KubeconfigEntry } from './kubeconfig-file.ts';
import type { KubeTls } from './target.ts';
import { clientCertificate, readTls } from './tls-files.ts';

interface Pair {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** A certificate that signs itself; the bits are too few for anything but a test. */
function newPair(): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const keyPem = privateKey.export({ type: 'pkcs1', format: 'pem' });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(
    publicKey.export({ type: 'spki', format: 'pem' }),
  );
  certificate.serialNumber = '01';
  certificate.setSubject([{ name: 'commonName', value: 'ann' }]);
  certificate.setIssuer([{ name: 'commonName', value: 'ann' }]);
  certificate.sign(forge.pki.privateKeyFromPem(keyPem), forge.md.sha256.create());
  return { certificatePem: forge.pki.certificateToPem(certificate), keyPem };
}

const PAIR = newPair();
const OTHER = newPair();
const FOLDER = '/home/ubuntu/.kube';

function environment(files: Readonly<Record<string, string>>): KubeEnvironment {
  return {
    env: {},
    home: '/home/ubuntu',
    readFile: async (path) => {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error('no file'), { code: 'ENOENT' });
      return new TextEncoder().encode(text);
    },
    run: () => Promise.reject(new Error('nothing may run here')),
  };
}

function entry(name: string, body: JsonObject): KubeconfigEntry {
  return { name, body, path: `${FOLDER}/config` };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

interface Wanted {
  readonly cluster?: JsonObject;
  readonly user?: JsonObject | null;
  readonly files?: Readonly<Record<string, string>>;
}

function read({ cluster = {}, user = {}, files = {} }: Wanted): Promise<KubeTls> {
  const own = user === null ? null : entry('ann', user);
  return readTls(environment(files), entry('prod', cluster), own);
}

async function refusal(wanted: Wanted): Promise<string> {
  const error: unknown = await read(wanted).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof PortError, 'it was read');
  assert.equal(error.failure, 'not-configured');
  return error.message;
}

const FIX = `fix it in: ${FOLDER}/config`;

describe('TLS of a cluster', () => {
  test('is that of the system where nothing is configured', async () => {
    const none = { authorityPem: null, client: null, serverName: null, isUnverified: false };
    assert.deepEqual(await read({}), none);
    assert.deepEqual(await read({ user: null }), none);
    const empty = { 'certificate-authority': '', 'certificate-authority-data': '' };
    assert.deepEqual(await read({ cluster: { ...empty, 'tls-server-name': '' } }), none);
  });

  test('has an authority from the kubeconfig, or from a file beside it', async () => {
    const pem = PAIR.certificatePem;
    const inline = { 'certificate-authority-data': base64(pem) };
    assert.equal((await read({ cluster: inline })).authorityPem, pem);
    const broken = base64(pem).replaceAll(/.{64}/g, '$&\n ');
    const split = { 'certificate-authority-data': broken };
    assert.equal((await read({ cluster: split })).authorityPem, pem);
    const files = { [`${FOLDER}/ca.crt`]: pem, '/etc/ca.crt': OTHER.certificatePem };
    const beside = { 'certificate-authority': 'ca.crt' };
    assert.equal((await read({ cluster: beside, files })).authorityPem, pem);
    const absolute = { 'certificate-authority': '/etc/ca.crt' };
    const other = await read({ cluster: absolute, files });
    assert.equal(other.authorityPem, OTHER.certificatePem);
    const both = await read({ cluster: { ...absolute, ...inline }, files });
    assert.equal(both.authorityPem, pem);
  });

  test('has the name that the certificate must carry', async () => {
    const cluster = { 'tls-server-name': 'api.one.test' };
    assert.equal((await read({ cluster })).serverName, 'api.one.test');
  });

  test('takes any certificate where it says so, and then no authority', async () => {
    const cluster = { 'insecure-skip-tls-verify': true };
    assert.equal((await read({ cluster })).isUnverified, true);
    const not = { 'insecure-skip-tls-verify': false };
    assert.equal((await read({ cluster: not })).isUnverified, false);
    const authority = { 'certificate-authority-data': base64(PAIR.certificatePem) };
    assert.equal((await read({ cluster: { ...not, ...authority } })).isUnverified, false);
    assert.match(
      await refusal({ cluster: { ...cluster, ...authority } }),
      /^The cluster prod names an authority .* unset clusters\.prod\.insecure-skip-tls-verify$/,
    );
  });

  test('is refused with an authority that cannot be read', async () => {
    const subject = 'The certificate-authority of cluster prod';
    const inlined = (text: string): Wanted => ({ cluster: { 'certificate-authority-data': text } });
    for (const odd of ['%%%', 'YQ===', 'a-b'])
      assert.equal(
        await refusal(inlined(odd)),
        `${subject} (certificate-authority-data) is not base64; ${FIX}`,
      );
    for (const other of ['a', 'ab==', 'abc='])
      assert.equal(await refusal(inlined(other)), `${subject} is not a PEM certificate; ${FIX}`);
    const damaged = PAIR.certificatePem.replace(/\n.{20}/, '\n');
    assert.equal(
      await refusal(inlined(base64(damaged))),
      `${subject} is a damaged PEM certificate; ${FIX}`,
    );
    const second = `${PAIR.certificatePem}${damaged}`;
    assert.match(await refusal(inlined(base64(second))), /is a damaged PEM certificate/);
    assert.match(
      await refusal({ cluster: { 'certificate-authority': 'ca.crt' } }),
      /^The certificate-authority of cluster prod \(.*\.kube\/ca\.crt\) does not exist; look/,
    );
  });
});

describe('the certificate of a user', () => {
  const { certificatePem, keyPem } = PAIR;
  const inline = {
    'client-certificate-data': base64(certificatePem),
    'client-key-data': base64(keyPem),
  };

  test('comes with its key', async () => {
    assert.deepEqual((await read({ user: inline })).client, { certificatePem, keyPem });
    const user = { 'client-certificate': 'ann.crt', 'client-key': 'ann.key' };
    const files = { [`${FOLDER}/ann.crt`]: certificatePem, [`${FOLDER}/ann.key`]: keyPem };
    assert.deepEqual((await read({ user, files })).client, { certificatePem, keyPem });
  });

  test('is refused without one half', async () => {
    const { 'client-key-data': _key, ...certificate } = inline;
    const { 'client-certificate-data': _certificate, ...key } = inline;
    assert.equal(
      await refusal({ user: certificate }),
      `The client certificate of user ann has no key (client-key or client-key-data); ${FIX}`,
    );
    assert.equal(
      await refusal({ user: key }),
      `The client certificate of user ann is missing while its key is there; ${FIX}`,
    );
    const user = { 'client-certificate-data': base64(certificatePem), 'client-key': 'x.key' };
    assert.match(
      await refusal({ user }),
      /^The client key of user ann \(.*x\.key\) does not exist/,
    );
  });

  test('is refused with the key of another, or with other text', async () => {
    const other = { ...inline, 'client-key-data': base64(OTHER.keyPem) };
    assert.equal(
      await refusal({ user: other }),
      `The client certificate of user ann and its key are not of one pair; ${FIX}`,
    );
    const none = { ...inline, 'client-key-data': base64('a key') };
    assert.equal(
      await refusal({ user: none }),
      `The client certificate of user ann has a key that is not an unencrypted PEM key; ${FIX}`,
    );
  });

  test('is the first of a chain', () => {
    const chain = `${PAIR.certificatePem}${OTHER.certificatePem}`;
    const pair = { certificatePem: chain, keyPem };
    assert.deepEqual(clientCertificate(pair, 'It', '/x'), pair);
    const swapped = { certificatePem: `${OTHER.certificatePem}${certificatePem}`, keyPem };
    assert.throws(() => clientCertificate(swapped, 'It', '/x'), /not of one pair; fix it in: \/x$/);
  });
});
