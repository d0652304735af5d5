import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { redact } from '../redact.ts';
import { assertCut } from './testing.ts';

/** So many letters and digits, in an order that no scanner takes for a token of somebody. */
function letters(count: number, alphabet = 'aaaaabbbbbccccc11111'): string {
  return alphabet.repeat(Math.ceil(count / alphabet.length)).slice(0, count);
}

const HEX = '0a1b2c3d4e5f';
const SMALL = letters(16, 'abcdef0123456789');

const PREFIXES = [
  'ghp_',
  'gho_',
  'ghu_',
  'ghs_',
  'ghr_',
  'github_pat_',
  'glpat-',
  'gldt-',
  'glrt-',
  'glcbt-',
  'glptt-',
  'glft-',
  'glsoat-',
  'glagent-',
  'glimt-',
  'glsa_',
  'glc_',
  'GR1348941',
  'xoxb-',
  'xoxe.xoxp-',
  'xapp-1-',
  'xwfp-',
  'sk_live_',
  'rk_test_',
  'pk_live_',
  'whsec_',
  'AIza',
  'ya29.',
  'GOCSPX-',
  '1//0',
  'pypi-AgE',
  'rubygems_',
  'dckr_pat_',
  'dckr_oat_',
  'hvs.',
  'hvb.',
  'hvr.',
  'dp.pt.',
  'dp.st.',
  'dp.ct.',
  'dp.sa.',
  'dp.scim.',
  'dp.audit.',
  'dop_v1_',
  'doo_v1_',
  'dor_v1_',
  'flyv1_',
  'NRAK-',
  'NRII-',
  'NRJS-',
  'NRRA-',
  'NRBR-',
  'NRSP-',
  'sntrys_',
  'sntryu_',
  'PMAK-',
  'lin_api_',
  'lin_oauth_',
  'shpat_',
  'shpca_',
  'shppa_',
  'shpss_',
  'sq0atp-',
  'sq0csp-',
  'sq0idp-',
  'pscale_tkn_',
  'pscale_pw_',
  'pscale_oauth_',
  'sk-proj-',
  'sk-ant-',
  'sk-svcacct-',
  'sk-or-v1-',
  'nvapi-',
  'ATATT3',
  'ATCTT3',
  'ATBB',
  'CFPAT-',
  'tskey-auth-',
  'tskey-api-',
  'tskey-client-',
  'AGE-SECRET-KEY-1',
  'IQoJb3JpZ2lu',
  'FwoGZXIvYXdz',
  'FQoGZXIvYXdz',
  `SG.${letters(20)}.`,
  `${letters(14)}.atlasv1.`,
  'abc8Q~',
];

describe('recognizes a token by the prefix of its service', () => {
  for (const prefix of PREFIXES)
    test(prefix, () => {
      assertCut(`sent «${prefix}${letters(12)}» twice`);
      assertCut(`sent «${prefix}${letters(9)}-_.${letters(5)}» twice`);
      assertCut(`${prefix}${letters(11)} is too short`);
    });
});

const PLAIN = [
  'npm_',
  'hf_',
  'figd_',
  'ntn_',
  'secret_',
  'gsk_',
  'r8_',
  'xai-',
  'pplx-',
  'pul-',
  'dapi',
  'nfp_',
  'rnd_',
  'fo1_',
  'akp_',
  'vcp_',
  'vci_',
  'vck_',
  'EAAA',
  'sk-',
];

describe('a prefix that words have too needs twenty letters and digits behind it', () => {
  for (const prefix of PLAIN)
    test(prefix, () => {
      assertCut(`sent «${prefix}${letters(20)}» twice`);
      assertCut(`sent «${prefix}${letters(20)}-_${letters(4)}» twice`);
      assertCut(`${prefix}${letters(19)} is too short`);
      assertCut(`${prefix}${letters(8)}-${letters(14)} is a name`);
    });
});

const FORMS: Readonly<Record<string, readonly string[]>> = {
  'an access key of AWS': [
    `«AKIA${letters(12, 'ABC123')}»`,
    `key-«ASIA${letters(16, 'ABC123')}»-used`,
    `AKIA${letters(11, 'ABC123')}`,
    `host-«akia${letters(16, 'abc234')}».example.net`,
    `«asia${letters(16, 'abc234')}»`,
    `asia${letters(17, 'abc234')}`,
    `xasia${letters(16, 'abc234')}`,
    `asia${letters(15, 'abc234')}`,
  ],
  'a web token': [
    `id «eyJhbGci1234.${letters(20)}.${letters(20)}» ends`,
    `id_«eyJhbGci1234.${letters(20)}.${letters(20)}» ends`,
    `«ey12345678.abc»`,
    'key1234567.abc',
    'ey1234567.abc',
  ],
  'a token of EKS': [`k8s-aws-v1.«${letters(24)}=»`, 'k8s-aws-v1. ends'],
  'a bootstrap token': [
    `«abc123.${SMALL}»`,
    `xabc123.${SMALL}`,
    `abc123.${SMALL}0`,
    `abc12.${SMALL}`,
    `token_«abc123.${SMALL}»_known`,
  ],
  'an old token of Vault': [
    `«s.${letters(24)}»`,
    `s.${letters(23)}`,
    `s.${letters(25)}`,
    `x.s.${letters(24)}`,
  ],
  'the token of a server of k3s': [
    `«K10${letters(40, HEX)}::server:walrus» ends`,
    `«K10${letters(64, HEX)}::a-b:c»"`,
  ],
  'keys of hexadecimal digits': [
    `«SK${letters(32, HEX)}»`,
    `«key-${letters(32, HEX)}» ends`,
    `«${letters(32, HEX)}-us12»`,
    `«${letters(32, HEX)}-us1» ends`,
    `${letters(32, HEX)} is a hash`,
    `monkey-${letters(32, HEX)}`,
  ],
  'the token of a bot': [
    `«M${letters(23)}.ab-c_d.${letters(27)}» ends`,
    `https://a/bot«12345678:${letters(35)}»/send`,
    `«1234567890:${letters(35)}» ends`,
    `1234567:${letters(35)}`,
    `12345678901:${letters(35)}`,
  ],
  'the hash of a password': [
    `root:«$6$salt$${letters(20)}»:19000:0`,
    `«$2b$10$${letters(22)}» ends`,
    `«$apr1$salt$${letters(12)}»`,
    `«$argon2id$v=19$m=1$${letters(12)}»`,
    `«$pbkdf2-sha256$29000$${letters(12)}»`,
    '$1$short',
    `«grub.pbkdf2.sha512.10000.${letters(20)}» ends`,
    `«pbkdf2_sha256$600000$${letters(20)}»`,
    `«*${letters(40, '0A1B2C')}» ends`,
    `**${letters(40, '0A1B2C')}`,
    `{SHA}${letters(19)}`,
    `«{SSHA}${letters(20)}»`,
    `«{MD5}${letters(20)}»`,
    `«{SHA512}${letters(20)}» ends`,
  ],
  'the address of a hook': [
    `https://a/hooks/«${letters(20)}»/x`,
    `https://a/hook/«${letters(24)}»`,
    `https://a/hooks/${letters(19)}`,
    'https://hooks.slack.com/services/«T0/B0/walrus» ends',
    'https://hooks.slack.com/workflows/«T0/B0/walrus»"',
    'https://discord.com/api/webhooks/«1/walrus» ends',
    'https://discordapp.com/api/webhooks/«1/walrus»',
    "https://a.webhook.office.com/«walrus/otter»'",
  ],
};

describe('recognizes a secret by its form', () => {
  for (const [what, lines] of Object.entries(FORMS))
    describe(what, () => {
      for (const line of lines) test(line, () => assertCut(line));
    });
});

const LINE = letters(64, 'aBcDeFgH1+/');
const dashed = (edge: string, what: string): string => `-----${edge} ${what}-----`;

describe('a private key', () => {
  for (const what of [
    'RSA PRIVATE KEY',
    'PRIVATE KEY',
    'PGP PRIVATE KEY BLOCK',
    'OpenVPN Static key V1',
  ])
    test(`${what} goes with its first and last line`, () => {
      const [begin, end] = [dashed('BEGIN', what), dashed('END', what)];
      assert.equal(
        redact(`key: ${begin}\n${LINE}\n${LINE}==\n${end}\nrest`),
        'key: ‹redacted› \nrest',
      );
      assert.equal(redact(`"${begin}\\n${LINE}\\n${end}"`), '"‹redacted› "');
      assert.equal(redact(`${begin}\n${LINE}\n`), '‹redacted› ');
      assert.equal(
        redact(`see ${LINE.slice(0, 20)} ${LINE} ${LINE.slice(0, 5)} ${end} rest`),
        'see ‹redacted› rest',
      );
    });
  const [begin, end] = [dashed('BEGIN', 'RSA PRIVATE KEY'), dashed('END', 'RSA PRIVATE KEY')];
  test('goes with the headers of an encrypted one', () => {
    const headers = 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C3D\n\n';
    assert.equal(redact(`${begin}\n${headers}${LINE}\n${end}`), '‹redacted› ');
    const armor = 'Version: GnuPG v2\nComment: my own\n\n';
    assert.equal(redact(`${begin}\n${armor}${LINE}\n${end}`), '‹redacted› ');
  });
  test('whose beginning is cut off takes no words with it', () => {
    assert.equal(
      redact(`no word is lost\n${LINE}\n${LINE}\n${end}`),
      'no word is lost\n‹redacted›',
    );
    assert.equal(
      redact(`lost:\\n${LINE}\\n${LINE.slice(0, 9)}\\n${end} and ${end}`),
      'lost:\\n‹redacted› and ‹redacted›',
    );
    assert.equal(redact(`no body ${end} here`), 'no body ‹redacted› here');
  });
  test('of the public kind stays', () => {
    const text = `${dashed('BEGIN', 'CERTIFICATE')} abc ${dashed('END', 'CERTIFICATE')}`;
    assert.equal(redact(text), text);
  });
});
