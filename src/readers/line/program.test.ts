import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { documentSource, NOT_KNOWN, originOf, readPrefix } from './origin.ts';

const sourceOf = (line: string): string => originOf(line, NOT_KNOWN).source;

/** Tags of syslog and journald, by the program that they are of. */
const TAGS: Readonly<Record<string, string>> = {
  kubelet: 'kubelet hyperkube kubelet-wrapper kubelet-eks.daemon /usr/bin/kubelet',
  containerd: 'containerd dockerd crio',
  nodeadm: 'nodeadm',
  'cloud-init': 'cloud-init user-data cloud',
  nodeup: 'nodeup kops-configuration',
  kubeadm: 'kubeadm',
  bottlerocket: 'sundog pluto early-boot-config host-containers apiserver thar-be-settings',
  ignition: 'ignition',
  kernel: 'kernel',
  journal: 'systemd sshd',
};

describe('the tag of a line', () => {
  for (const [source, tags] of Object.entries(TAGS))
    for (const tag of tags.split(' '))
      test(`${tag} is ${source}`, () => {
        assert.equal(sourceOf(`Nov 22 10:00:00 web-1 ${tag}[12]: words`), source);
        assert.equal(
          sourceOf(`[   12.345678] ${tag.replaceAll('/', '')}[12]: words`),
          tag.includes('/') ? 'journal' : source,
        );
      });

  for (const [form, prefix, host] of [
    ['of the journal', 'Nov 22 10:00:00 web-1 kubelet[12]: ', 'web-1'],
    ['with one digit of a day', 'Nov  2 10:00:00 web-1 kubelet: ', 'web-1'],
    ['with a year', 'Nov 22 2026 10:00:00.123456 web-1 kubelet[12]: ', 'web-1'],
    ['in ISO form', '2026-11-22T10:00:00.123Z web-1 kubelet[12]: ', 'web-1'],
    ['in ISO form with a zone', '2026-11-22T10:00:00,1+0100 web-1 kubelet[12]: ', 'web-1'],
    ['in ISO form with another zone', '2026-11-22T10:00:00-01:00 web-1 kubelet[12]: ', 'web-1'],
    ['with a priority', '<13>Nov 22 10:00:00 web-1 kubelet[12]: ', 'web-1'],
    ['without a host', 'Nov 22 10:00:00 kubelet[12]: ', null],
  ] as const)
    test(`is seen ${form}, and the host beside it`, () => {
      assert.deepEqual(readPrefix(`${prefix}words`), { host, program: 'kubelet', isTagged: true });
    });

  for (const line of [
    'x Nov 22 10:00:00 web-1 kubelet[12]: words',
    'nov 22 10:00:00 web-1 kubelet[12]: words',
    'Nov 22 10:00:00 web-1 kubelet[12]:words',
    'Nov 22 10:00:00 web-1 kubelet[x]: words',
    'Nov 22 10:00:00 web-1 on kubelet[12]: words',
    'web-1 kubelet[12]: words',
    'x [   12.345678] kubelet[12]: words',
    '[   12.345678] kubelet: words',
    '[   12] kubelet[12]: words',
    `${' '.repeat(2000)}Nov 22 10:00:00 web-1 kubelet[12]: words`,
  ])
    test(`is none in "${line.trim()}"`, () => {
      assert.deepEqual(readPrefix(line), { host: null, program: null, isTagged: false });
    });

  for (const level of 'TRACE DEBUG INFO WARN WARNING ERROR FATAL'.split(' '))
    test(`is none behind the level ${level}`, () => {
      assert.deepEqual(readPrefix(`2026-11-22T10:00:00Z ${level} kubelet: words`), {
        host: null,
        program: null,
        isTagged: false,
      });
    });

  test('that no program is known by leaves it to the words', () => {
    const line = 'Nov 22 10:00:00 web-1 sh[12]: ';
    assert.deepEqual(readPrefix(`${line}words`), { host: 'web-1', program: null, isTagged: true });
    assert.deepEqual(originOf(`${line}nidhogg`, NOT_KNOWN), {
      source: 'nidhogg',
      isKnown: false,
      host: 'web-1',
    });
    assert.deepEqual(originOf(`${line}words`, { source: 'kubelet', isKnown: false }), {
      source: 'journal',
      isKnown: true,
      host: 'web-1',
    });
    assert.deepEqual(originOf('words', { source: 'kubelet', isKnown: false }), {
      source: 'kubelet',
      isKnown: false,
      host: null,
    });
  });
});

/** Source files in klog lines, by the program that has them. */
const FILES: Readonly<Record<string, string>> = {
  kubelet: `kubelet kubelet_pods kuberuntime_manager pod_workers pod_container_deletor remote_runtime
    remote_image eviction_manager setters nodelease cpu_manager memory_manager topology_manager
    container_manager_linux volume_manager reconciler reconciler_common reconciler_new csi_plugin
    nodeinfomanager image_gc_manager cri_stats_provider generic pleg certificate_manager
    certificate_store bootstrap fs_resource_analyzer status_manager docker_service cni
    summary_sys_containers prober prober_manager desired_state_of_world_populator
    nestedpendingoperations watcher plugin_watcher dynamic_cafile_content policy_none
    kubelet_node_status manager`,
  'cloud-controller': `node_controller cloud_node_controller tagging_controller
    node_lifecycle_controller route_controller service_controller`,
  'machine-approver': 'node_csr_approver csr_check controller_approver',
  'controller-manager': `controllermanager gc_controller range_allocator cidr_allocator
    certificate_controller csr_approver garbagecollector taint_manager attach_detach_controller`,
  'kube-apiserver':
    'dispatcher authentication healthz available_controller naming_controller wrap trace',
  'kube-proxy': 'proxier server_others iptables config',
  kubeadm: 'join preflight checks init token waiter waitcontrolplane',
  unknown: `xkubelet cpu_managers my_node_controller node_controllers xcsr_check
    gc_controllers xgc_controller dispatchers xtrace proxiers xconfig joined xwaiter reflector`,
};

describe('the source file of a klog line', () => {
  for (const [source, files] of Object.entries(FILES))
    for (const file of files.split(/\s+/))
      test(`${file}.go is of ${source}`, () => {
        assert.equal(sourceOf(`E1122 10:00:00.123456    12 ${file}.go:7] words`), source);
      });

  for (const [form, line] of [
    ['of each level', 'W1122 10:00:00.1 1 pleg.go:7] words'],
    ['behind another stamp', '2026-11-22T10:00:00Z I1122 10:00:00.1 1 pleg.go:7] words'],
    ['in quotes', '"F1122 10:00:00.1 1 pleg.go:7] words"'],
    ['behind brackets', '[x]D1122 10:00:00.123 123 pleg.go:77] words'],
    ['in JSON', '{"ts":1700000000.5,"caller":"kubelet/pleg.go:77","msg":"x"}'],
    ['in JSON with blanks', '{"ts": 1700000000, "caller": "pleg.go:7", "msg": "x"}'],
    ['without a stamp', 'pleg.go:77] words'],
  ] as const)
    test(`is seen ${form}`, () => assert.equal(sourceOf(line), 'kubelet'));

  for (const line of [
    'xE1122 10:00:00.1 1 pleg.go:7] words',
    'E1122 10:00:00.1 1 pleg.go] words',
    'E1122 10:00:00 1 pleg.go:7] words',
    'my pleg.go:7] words',
    'pleg.go:7 words',
    'x{"ts":1,"caller":"pleg.go:7"}',
    '{"level":"info","ts":1,"caller":"pleg.go:7"}',
    `${' '.repeat(2000)}E1122 10:00:00.1 1 pleg.go:7] words`,
  ])
    test(`is none in "${line.trim()}"`, () => assert.equal(sourceOf(line), 'unknown'));
});

describe('a document', () => {
  for (const first of [
    '#!/bin/bash',
    '#cloud-config',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed',
    '[settings.kubernetes]',
    'apiVersion: node.eks.aws/v1alpha1',
  ]) {
    test(`that begins with ${first} is user data`, () => {
      assert.equal(documentSource(['', '---', '  ', first, 'kubeadm join']).source, 'user-data');
      assert.notEqual(documentSource(['words', first]).source, 'user-data');
      assert.notEqual(documentSource([`x${first}`]).source, 'user-data');
    });
  }

  test('is what most of its lines are, whatever the journal says between', () => {
    const journal = 'Nov 22 10:00:00 web-1 sshd[12]: words';
    const lines = [
      journal,
      journal,
      journal,
      'words',
      'words',
      'nidhogg',
      'calico-node',
      'nidhogg',
    ];
    assert.equal(documentSource(lines).source, 'nidhogg');
    assert.equal(documentSource(lines.toReversed()).source, 'nidhogg');
    assert.equal(documentSource([journal, 'words']).source, 'unknown');
    assert.equal(documentSource([]).source, 'unknown');
  });
});
