/** Certificate requests as programs write them: PKCS#10 (RFC 2986) in DER, as PEM, in base64. */

export interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** One element of DER: its tag and what stands in it, a character for each byte. */
interface Element {
  readonly tag: number;
  readonly content: string;
}

const TAG = { bits: 0x03, text: 0x13, sequence: 0x30, set: 0x31, attributes: 0xa0 } as const;
/** Object identifiers of the two parts of a name that Kubernetes reads (RFC 5280, A.1). */
const COMMON_NAME = bytes('0603550403');
const ORGANIZATION = bytes('060355040a');
const VERSION = bytes('020100');
/** A key that nobody has: the base point of P-256 (NIST SP 800-186), so that it is on the curve. */
const KEY = bytes(
  [
    '3059301306072a8648ce3d020106082a8648ce3d030107034200',
    '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296',
    '4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
  ].join(''),
);
/** ecdsa-with-SHA256, and a signature of the right form; nobody here verifies it. */
const ALGORITHM = bytes('300a06082a8648ce3d040302');
const SIGNATURE = bytes('003006020101020101');

const PEM_COLUMNS = /.{1,64}/g;
const REQUEST_MAX = 64 * 1024;

/** What a client puts into `spec.request` of a CertificateSigningRequest. */
export function requestOf({ commonName, organizations }: Subject): string {
  const parts = [
    ...organizations.map((name) => ORGANIZATION + element(TAG.text, name)),
    COMMON_NAME + element(TAG.text, commonName),
  ];
  const name = parts.map((part) => element(TAG.set, element(TAG.sequence, part))).join('');
  const wanted = VERSION + element(TAG.sequence, name) + KEY + element(TAG.attributes, '');
  const signed = element(TAG.sequence, wanted) + ALGORITHM + element(TAG.bits, SIGNATURE);
  const lines = btoa(element(TAG.sequence, signed)).match(PEM_COLUMNS) ?? [];
  const begin = '-----BEGIN CERTIFICATE REQUEST-----';
  return btoa(`${begin}\n${lines.join('\n')}\n${begin.replace('BEGIN', 'END')}\n`);
}

/** The subject in `spec.request`; null for anything that is no such request. */
export function subjectOf(request: string): Subject | null {
  const pem = request.length > REQUEST_MAX ? null : fromLatin(request);
  const der = fromLatin(pem?.replaceAll(/-----[A-Z ]{1,60}-----|\s/g, '') ?? '');
  const [signed] = elementsOf(der ?? '');
  const [wanted] = elementsOf(signed?.content ?? '');
  const [, name] = elementsOf(wanted?.content ?? '');
  const parts = elementsOf(name?.content ?? '').map(({ content }) => partOf(content));
  const ofKind = (kind: string): readonly string[] =>
    parts.flatMap((part) => (part?.kind === kind ? [part.text] : []));
  const [commonName] = ofKind(COMMON_NAME);
  if (commonName === undefined) return null;
  return { commonName, organizations: ofKind(ORGANIZATION) };
}

/** A part of a name: what it is, and its text. */
function partOf(set: string): { readonly kind: string; readonly text: string } | null {
  const [pair] = elementsOf(set);
  const [kind, text] = elementsOf(pair?.content ?? '');
  if (kind === undefined || text === undefined) return null;
  return { kind: element(kind.tag, kind.content), text: text.content };
}

function bytes(hex: string): string {
  return (hex.match(/../g) ?? [])
    .map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
    .join('');
}

function element(tag: number, content: string): string {
  const size = content.length;
  const long = size < 0x80 ? [] : size < 0x100 ? [0x81] : [0x82, size >> 8];
  return String.fromCharCode(tag, ...long, size & 0xff) + content;
}

/** Elements one behind another, up to the first that is cut or of another form. */
function elementsOf(der: string): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at + 2 <= der.length; ) {
    const first = der.charCodeAt(at + 1);
    const digits = first < 0x80 ? 0 : first - 0x80;
    if (digits > 2) return found;
    const from = at + 2 + digits;
    const size = digits === 0 ? first : numberOf(der.slice(at + 2, from));
    if (from + size > der.length) return found;
    found.push({ tag: der.charCodeAt(at), content: der.slice(from, from + size) });
    at = from + size;
  }
  return found;
}

function numberOf(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) sum = sum * 0x100 + text.charCodeAt(index);
  return sum;
}

function fromLatin(encoded: string): string | null {
  try {
    return atob(encoded);
  } catch {
    return null;
  }
}
