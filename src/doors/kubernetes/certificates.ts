import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import forge from 'node-forge';

/** A certificate and its key, both PEM. */
export interface CertificatePair {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** To the API server, the user and its groups. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** What signs the certificates of one door; its key never leaves the process. */
export interface Authority {
  readonly caPem: string;
  /** For the server on an address of loopback. */
  server(address: string): Promise<CertificatePair>;
  client(subject: CertificateSubject): Promise<CertificatePair>;
}

const KEY_BITS = 2048;
const DAY_MS = 86_400_000;
const VALID_DAYS = 365;
/** Clients whose clock is behind still accept it. */
const BACKDATED_MS = 3_600_000;

const generateKeys = promisify(generateKeyPair);

interface Keys {
  readonly publicPem: string;
  readonly privatePem: string;
}

async function newKeys(): Promise<Keys> {
  const { publicKey, privateKey } = await generateKeys('rsa', { modulusLength: KEY_BITS });
  return {
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }),
    privatePem: privateKey.export({ type: 'pkcs1', format: 'pem' }),
  };
}

type Attribute = forge.pki.CertificateField;

function attributesOf({ commonName, organizations }: CertificateSubject): Attribute[] {
  const groups = organizations.map((value) => ({ name: 'organizationName', value }));
  return [...groups, { name: 'commonName', value: commonName }];
}

interface Request {
  readonly subject: CertificateSubject;
  readonly publicPem: string;
  readonly issuer: CertificateSubject;
  readonly signingPem: string;
  readonly extensions: readonly object[];
}

function signed({ subject, publicPem, issuer, signingPem, extensions }: Request): string {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicPem);
  // Neither negative nor with a zero too many, both of which Go refuses.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  certificate.validity.notBefore = new Date(Date.now() - BACKDATED_MS);
  certificate.validity.notAfter = new Date(Date.now() + VALID_DAYS * DAY_MS);
  certificate.setSubject(attributesOf(subject));
  certificate.setIssuer(attributesOf(issuer));
  certificate.setExtensions([...extensions]);
  certificate.sign(forge.pki.privateKeyFromPem(signingPem), forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}

const ISSUER: CertificateSubject = { commonName: 'rollcall-lab', organizations: [] };

const CA_EXTENSIONS = [
  { name: 'basicConstraints', cA: true, critical: true },
  { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
  { name: 'subjectKeyIdentifier' },
];

function serverExtensions(address: string): readonly object[] {
  const altNames = [
    { type: 7, ip: address },
    { type: 2, value: 'localhost' },
    { type: 2, value: 'kubernetes.default.svc' },
  ];
  return [
    { name: 'basicConstraints', cA: false },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames },
  ];
}

const CLIENT_EXTENSIONS = [
  { name: 'basicConstraints', cA: false },
  { name: 'keyUsage', digitalSignature: true, critical: true },
  { name: 'extKeyUsage', clientAuth: true },
];

/** Makes a new authority; nothing is written anywhere. */
export async function createAuthority(): Promise<Authority> {
  const own = await newKeys();
  const signingPem = own.privatePem;
  const issue = async (
    subject: CertificateSubject,
    extensions: readonly object[],
  ): Promise<CertificatePair> => {
    const { publicPem, privatePem } = await newKeys();
    const request = { subject, publicPem, issuer: ISSUER, signingPem, extensions };
    return { certificatePem: signed(request), keyPem: privatePem };
  };
  return {
    caPem: signed({
      subject: ISSUER,
      publicPem: own.publicPem,
      issuer: ISSUER,
      signingPem,
      extensions: CA_EXTENSIONS,
    }),
    server: (address) =>
      issue({ commonName: 'kube-apiserver', organizations: [] }, serverExtensions(address)),
    client: (subject) => issue(subject, CLIENT_EXTENSIONS),
  };
}
