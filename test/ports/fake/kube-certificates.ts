/** Certificates made for a test, with any name and time; X.509 in DER, signed by ECDSA. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Issued {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface Authority extends Issued {
  issue(wanted: CertificateWanted): Issued;
}

export interface CertificateWanted {
  readonly commonName: string;
  readonly organization?: string;
  readonly dnsNames?: readonly string[];
  /** IPv4. */
  readonly addresses?: readonly string[];
  readonly validFromMs?: number;
  readonly validToMs?: number;
}

const DAY_MS = 86_400_000;

export function authority(commonName = 'test authority'): Authority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = name({ commonName });
  const own = certificate({ commonName }, keys.publicKey, { issuer, key: keys.privateKey }, true);
  return {
    certificatePem: own,
    keyPem: pemOf(keys.privateKey),
    issue: (wanted) => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const signer = { issuer, key: keys.privateKey };
      return {
        certificatePem: certificate(wanted, pair.publicKey, signer, false),
        keyPem: pemOf(pair.privateKey),
      };
    },
  };
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' });
}

interface Signer {
  readonly issuer: Buffer;
  readonly key: KeyObject;
}

function certificate(
  wanted: CertificateWanted,
  publicKey: KeyObject,
  signer: Signer,
  isAuthority: boolean,
): string {
  const nowMs = Date.now();
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    signer.issuer,
    sequence(time(wanted.validFromMs ?? nowMs - DAY_MS), time(wanted.validToMs ?? nowMs + DAY_MS)),
    name(wanted),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions(wanted, isAuthority))),
  );
  const signature = sign('sha256', body, signer.key);
  const der = sequence(body, algorithm, tagged(0x03, Buffer.from([0]), signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function extensions(wanted: CertificateWanted, isAuthority: boolean): readonly Buffer[] {
  const constraints = sequence(...(isAuthority ? [tagged(0x01, Buffer.from([0xff]))] : []));
  const names = [
    ...(wanted.dnsNames ?? []).map((dns) => tagged(0x82, Buffer.from(dns))),
    ...(wanted.addresses ?? []).map((ip) => tagged(0x87, Buffer.from(ip.split('.').map(Number)))),
  ];
  const critical = tagged(0x01, Buffer.from([0xff]));
  const basic = sequence(oid('551d13'), critical, tagged(0x04, constraints));
  if (names.length === 0) return [basic];
  return [basic, sequence(oid('551d11'), tagged(0x04, sequence(...names)))];
}

function name({ commonName, organization }: CertificateWanted): Buffer {
  const part = (id: string, text: string): Buffer =>
    tagged(0x31, sequence(oid(id), tagged(0x0c, Buffer.from(text))));
  const organizations = organization === undefined ? [] : [part('55040a', organization)];
  return sequence(...organizations, part('550403', commonName));
}

function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return tagged(0x18, Buffer.from(text));
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 128) return Buffer.from([length]);
  if (length < 256) return Buffer.from([0x81, length]);
  return Buffer.from([0x82, length >> 8, length & 0xff]);
}
