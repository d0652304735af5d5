import { otherDigits, otherHex } from './scramble.ts';

/** Resources of EC2 and its neighbours: a few letters, and 8 or 17 hexadecimal digits. */
const RESOURCE =
  /(?<![A-Za-z0-9])(i|mi|eni|eni-attach|subnet|vpc|sg|sgr|rtb|rtbassoc|igw|eigw|nat|acl|aclassoc|eipalloc|eipassoc|vol|snap|ami|ari|aki|lt|dopt|vpce|vpce-svc|tgw|tgw-attach|pl|sir|sfr|fleet|fs|fsmt|fsap|r|cgw|vgw|pcx|cr|key|h|rnat|ipam|ipam-pool|eipassoc|vpc-cidr-assoc|subnet-cidr-assoc|iip-assoc|a|efs)-([0-9a-f]{17}|[0-9a-f]{8})(?![0-9A-Za-z])/g;
const UUID =
  /(?<![0-9A-Za-z])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9A-Za-z])/gi;
/** Endpoints, issuers and hashes. */
const LONG_HEX = /(?<![0-9A-Za-z])(?:[0-9a-f]{32,64}|[0-9A-F]{32,64})(?![0-9A-Za-z])/g;
const MAC = /(?<![0-9a-f:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![0-9a-f:])/gi;
const ACCOUNT = /(?<![\d.-])\d{12}(?![\d.]|-\d)/g;
/** IAM's own ids of roles, users and profiles. */
const UNIQUE_ID =
  /(?<![A-Z0-9])(AROA|AIDA|AIPA|ANPA|ANVA|AGPA|APKA|ASCA)([A-Z0-9]{12,30})(?![A-Z0-9])/g;
const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}(?![\w-])/g;

/**
 * Accounts from which AWS and others publish images of EKS add-ons and machines: whoever sees them
 * knows nothing of a user (docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html).
 */
const PUBLISHERS: ReadonlySet<string> = new Set([
  '602401143452',
  '800184023465',
  '877085696533',
  '900889452093',
  '918309763551',
  '961992271922',
  '590381155156',
  '558608220178',
  '151742754352',
  '013241004608',
  '121268973566',
  '296578399912',
  '491585149902',
  '455263428931',
  '066635153087',
  '759879836304',
  '730335286997',
  '764185013820',
  '840364872350',
  '509694224163',
  '099720109477',
  '137112412989',
  '379101102735',
  '092701018921',
]);

/** The text with other ids of resources, accounts, objects and people. */
export function withoutIds(text: string): string {
  return text
    .replace(RESOURCE, (_, kind: string, id: string) => `${kind}-${otherHex(id, kind)}`)
    .replace(UUID, (id) => otherHex(id, 'uuid'))
    .replace(LONG_HEX, (id) => otherHex(id, 'hex'))
    .replace(MAC, (mac) => `0a:${otherHex(mac.slice(3), 'mac')}`)
    .replace(ACCOUNT, (id) => (PUBLISHERS.has(id) ? id : otherDigits(id, 'account')))
    .replace(UNIQUE_ID, (_, kind: string, id: string) => `${kind}${letters(id)}`)
    .replace(EMAIL, (address) => `user-${otherHex('00000000', address)}@example.com`);
}

function letters(id: string): string {
  return otherHex('A'.repeat(id.length), id).toUpperCase();
}
