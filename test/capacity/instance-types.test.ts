import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { typeFromAws } from '../../src/capacity/aws-type.ts';
import { imageMaxPods, imageMismatch, missingFromTable } from '../../src/capacity/image-table.ts';
import { type InstanceType, isUnknownType } from '../../src/capacity/instance-type.ts';
import { INSTANCE_TYPES } from '../../src/capacity/instance-types.generated.ts';
import { instanceTypes } from '../../src/capacity/instance-types.ts';
import { instanceTypesFile } from '../../tools/generate/instance-types.ts';
import { awsOf } from '../../src/evidence/testing.ts';

const ROOT = join(import.meta.dirname, '../..');
const TYPES = instanceTypes(INSTANCE_TYPES);
const CSV = readFileSync(join(ROOT, 'src/capacity/instance-types.csv'), 'utf8');
const ROWS = CSV.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

function named(name: string): InstanceType {
  const type = TYPES.named(name);
  assert.ok(!isUnknownType(type), name);
  return type;
}

test('the generated table is fresh', () => {
  const { path, text } = instanceTypesFile();
  assert.equal(readFileSync(join(ROOT, path), 'utf8'), text);
});

test('every row of the source comes out as it went in', () => {
  const flag = (value: boolean | null) => (value === null ? '' : value ? '1' : '0');
  const lines = ROWS.slice(1).map((row) => row.split(','));
  assert.equal(lines.length, 1436);
  assert.equal(TYPES.names.length, lines.length);
  for (const [name = '', ...columns] of lines) {
    const type = named(name);
    const shape = [type.enis, type.ipv4PerEni, type.hypervisor ?? '', flag(type.bareMetal)];
    const trunk = [
      flag(type.trunk),
      type.branches ?? '',
      type.cards ?? '',
      type.enisAllCards ?? '',
    ];
    const machine = [type.vcpus ?? '', type.memoryMiB ?? '', type.arch ?? ''];
    const { firstCni, al2, nodeadm, retired, cniChanges } = type.tables;
    const said = cniChanges.map((one) => `${one.since}:${one.enis}/${one.ipv4PerEni ?? ''}`);
    assert.deepEqual([...shape, ...trunk, ...machine].map(String), columns.slice(0, 11), name);
    assert.equal(firstCni ?? '', columns[11], name);
    assert.deepEqual(
      [al2, nodeadm],
      [/l/, /a/].map((letter) => letter.test(columns[12] ?? '')),
    );
    assert.equal(retired ? '1' : '', columns[13], name);
    assert.equal(said.join(' '), columns[14], name);
  }
});

test('no type is listed twice, and every one can hold a pod', () => {
  assert.equal(new Set(TYPES.names).size, TYPES.names.length);
  for (const name of TYPES.names)
    assert.ok(named(name).enis * (named(name).ipv4PerEni - 1) > 0, name);
});

test('an unknown type says so and names the command', () => {
  assert.deepEqual(TYPES.named('x9.large'), {
    unknown: 'x9.large',
    command: 'aws ec2 describe-instance-types --instance-types x9.large',
  });
  const hostile = TYPES.named("x'; rm -rf ~\n#");
  assert.ok(isUnknownType(hostile));
  assert.ok(hostile.command.endsWith(`'x'\\''; rm -rf ~#'`), hostile.command);
  for (const name of ['', 'constructor', '__proto__', 'm5', 'm5.', 'M5.large'])
    assert.ok(isUnknownType(TYPES.named(name)), name);
});

const AWS_P5 = {
  InstanceType: 'p5.48xlarge',
  BareMetal: false,
  Hypervisor: 'nitro',
  ProcessorInfo: { SupportedArchitectures: ['x86_64'] },
  VCpuInfo: { DefaultVCpus: 192 },
  MemoryInfo: { SizeInMiB: 2_097_152 },
  NetworkInfo: {
    MaximumNetworkInterfaces: 64,
    MaximumNetworkCards: 32,
    DefaultNetworkCardIndex: 0,
    NetworkCards: [
      { NetworkCardIndex: 1, MaximumNetworkInterfaces: 7 },
      { NetworkCardIndex: 0, MaximumNetworkInterfaces: 2 },
    ],
    Ipv4AddressesPerInterface: 50,
  },
};

test('EC2 wins over the shipped table, which fills in what EC2 does not report', () => {
  const type = typeFromAws(awsOf('aws/instance-type', AWS_P5), TYPES);
  const shipped = named('p5.48xlarge');
  assert.deepEqual(type, {
    name: 'p5.48xlarge',
    enis: 2,
    ipv4PerEni: 50,
    hypervisor: 'nitro',
    bareMetal: false,
    trunk: shipped.trunk,
    branches: shipped.branches,
    tables: shipped.tables,
    cards: 32,
    enisAllCards: 64,
    vcpus: 192,
    memoryMiB: 2_097_152,
    arch: 'amd64',
    source: 'aws',
  });
});

test('a type that only EC2 knows has no trunk and no table', () => {
  const { NetworkCards: _, ...network } = AWS_P5.NetworkInfo;
  const one = { ...network, MaximumNetworkCards: 1, MaximumNetworkInterfaces: 4 };
  const type = typeFromAws(
    awsOf('aws/instance-type', { ...AWS_P5, InstanceType: 'x9.large', NetworkInfo: one }),
    TYPES,
  );
  assert.equal(type?.enis, 4);
  assert.equal(type.trunk, null);
  assert.equal(type.tables.known, false);
});

test('rejects a type without interfaces of the default card', () => {
  const { NetworkCards: _, ...network } = AWS_P5.NetworkInfo;
  for (const item of [{}, { InstanceType: 'm5.large' }, { ...AWS_P5, NetworkInfo: network }])
    assert.equal(typeFromAws(awsOf('aws/instance-type', item), TYPES), null);
  const damaged = { ...AWS_P5.NetworkInfo, Ipv4AddressesPerInterface: -3 };
  assert.equal(
    typeFromAws(awsOf('aws/instance-type', { ...AWS_P5, NetworkInfo: damaged }), TYPES),
    null,
  );
});

test('a type that the table of an image lacks: EC2 is asked, or the kubelet takes 110', () => {
  const flex = named('m8g-flex.large');
  assert.equal(imageMaxPods(flex, 'bottlerocket').maxPods, 110);
  assert.equal(imageMaxPods(flex, 'al2').maxPods, 29);
  assert.equal(imageMaxPods(flex, 'al2023').maxPods, 29);
  assert.match(imageMaxPods(flex, 'al2023').because, /nodeadm asks EC2/);
  assert.match(imageMismatch(imageMaxPods(flex, 'bottlerocket'), 29) ?? '', /more than the 29/);
  assert.equal(imageMismatch(imageMaxPods(named('m5.large'), 'bottlerocket'), 29), null);
});

test('the tables of the images have every type but the newest and the oldest', () => {
  for (const [image, count] of [
    ['al2', 338],
    ['bottlerocket', 338],
    ['al2023', 52],
  ] as const) {
    const missing = missingFromTable(TYPES, image);
    assert.equal(missing.length, count, image);
    assert.ok(!missing.includes('m5.large'));
    assert.ok(missing.includes('g3.4xlarge'));
  }
});
