import type { JsonObject } from '../../src/evidence/json.ts';

/** Values that would be something else in a manifest than they are meant to be; all are refused. */
export const HOSTILE_VALUES: readonly (readonly [what: string, values: JsonObject])[] = [
  ['an image with a new line', { image: { name: 'a\nkind: Secret' } }],
  ['an image with a quote', { image: { name: 'a"b' } }],
  ['a template in an image', { image: { name: '{{ .Values }}' } }],
  ['an argument with a new line', { gate: { args: ['--x=\n- b'] } }],
  ['a word as an argument', { gate: { args: ['agent'] } }],
  ['a label with a colon', { gate: { nodeSelector: { role: 'a: b' } } }],
  ['a key with a new line', { gate: { nodeSelector: { 'a\nb': 'c' } } }],
  ['a probe that is none', { agent: { probes: ['dns,csi'] } }],
  ['a role of another form', { aws: { controllerRoleArn: 'arn:aws:iam::1:role/x\ny: z' } }],
  ['a namespace with a slash', { gate: { rulesNamespace: '../x' } }],
  ['a value that nobody reads', { gates: {} }],
  ['a field that nobody reads', { gate: { enable: true } }],
  ['too many replicas', { gate: { replicas: 17 } }],
  ['a text for a number', { gate: { replicas: '2' } }],
  ['a quantity with words', { gate: { resources: { limits: { memory: '1 or 2' } } } }],
  ['a probe twice', { agent: { probes: ['dns', 'dns'] } }],
  ['no probe', { agent: { probes: [] } }],
  ['a Secret with a new line', { image: { pullSecrets: [{ name: 'a\nb' }] } }],
  ['a registry with a path', { agent: { registries: ['a/b'] } }],
  ['a variable with a new line', { controller: { env: [{ name: 'A', value: 'b\nc' }] } }],
];
