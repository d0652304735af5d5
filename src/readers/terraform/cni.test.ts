import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DaemonSet } from '../../evidence/kube/workloads.ts';
import type { ConfigMap } from '../../evidence/kube/admission.ts';
import { contentsOf, type Given, planOf } from './testing.ts';

function addonWith(configuration: string | null, more: Partial<Given> = {}): Given {
  const set = configuration === null ? {} : { configuration_values: configuration };
  return {
    address: 'aws_eks_addon.cni',
    values: { addon_name: 'vpc-cni', cluster_name: 'orders', ...set },
    ...more,
  };
}

function settingsOf(addon: Given): Readonly<Record<string, string>> {
  const { facts } = contentsOf(planOf([addon]));
  const fact = facts.find(({ kind }) => kind === 'kube/DaemonSet');
  const containers = (fact?.value as DaemonSet | undefined)?.spec?.template?.spec?.containers ?? [];
  const environment = containers.flatMap(({ env }) => env ?? []);
  return Object.fromEntries(environment.map(({ name, value }) => [name ?? '', value ?? '']));
}

describe('the configuration of the add-on vpc-cni is the environment of aws-node', () => {
  test('as JSON', () => {
    const text = JSON.stringify({ env: { ENABLE_PREFIX_DELEGATION: 'true', WARM_IP_TARGET: 2 } });
    const settings = { ENABLE_PREFIX_DELEGATION: 'true', WARM_IP_TARGET: '2' };
    assert.deepEqual(settingsOf(addonWith(text)), settings);
  });

  test('as YAML', () => {
    const text = 'env:\n  ENABLE_POD_ENI: "true"\n';
    assert.deepEqual(settingsOf(addonWith(text)), { ENABLE_POD_ENI: 'true' });
  });

  test('which is empty without one', () => {
    assert.deepEqual(settingsOf(addonWith(null)), {});
    assert.deepEqual(contentsOf(planOf([addonWith(null)])).doubts, []);
  });
});

describe('the configuration is in doubt', () => {
  const open = { unknown: { configuration_values: true } };

  test('while it is known after apply', () => {
    const expressions = { configuration_values: { references: ['local.cni'] } };
    const { doubts } = contentsOf(planOf([addonWith(null, { ...open, expressions })]));
    assert.deepEqual(
      doubts.map(({ kind }) => kind),
      ['kube/DaemonSet'],
    );
  });

  test('when the add-on cannot read it', () => {
    assert.equal(contentsOf(planOf([addonWith('{"env":')])).doubts.length, 1);
  });

  test('and not where the provider only reports what nobody set', () => {
    assert.deepEqual(contentsOf(planOf([addonWith(null, open)])).doubts, []);
  });
});

test('nothing else of the configuration is kept', () => {
  const text = JSON.stringify({ env: { 'a b': 'x' }, extra: { token: 'hunter2' } });
  const { facts } = contentsOf(planOf([addonWith(text)]));
  assert.doesNotMatch(JSON.stringify(facts), /hunter2|a b/);
});

test('the address management for Windows is a field of the ConfigMap', () => {
  const text = JSON.stringify({ enableWindowsIpam: 'true' });
  const { facts } = contentsOf(planOf([addonWith(text)]));
  const configMap = facts.find(({ kind }) => kind === 'kube/ConfigMap')?.value as ConfigMap;
  assert.equal(configMap.data?.['enable-windows-ipam'], 'true');
});
