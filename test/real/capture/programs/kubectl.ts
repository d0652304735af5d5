/** What kubectl of several versions shows of states that a real control plane made. */
import type { Scenario, Truth } from '../scenario.ts';
import { NODE_NAME, type Stage } from '../stage.ts';
import { ACCESS_SITUATIONS } from './situations-access.ts';
import { LOOKS_TABLE } from './kubectl-looks.ts';
import { SITUATIONS } from './situations.ts';

const ALL = { ...SITUATIONS, ...ACCESS_SITUATIONS };
type SituationName = keyof typeof ALL;

/** A command of kubectl, by the name under which examples carry it. */
const VIEWS = {
  describe: ['describe', 'node', NODE_NAME],
  'nodes-wide': ['get', 'nodes', '-o', 'wide'],
  nodes: ['get', 'nodes'],
  'nodes-yaml': ['get', 'nodes', '-o', 'yaml'],
  'nodes-json': ['get', 'nodes', '-o', 'json'],
  events: ['get', 'events', '-A', '--sort-by=.lastTimestamp'],
  'events-yaml': ['get', 'events', '-A', '-o', 'yaml'],
  'events-wide': ['get', 'events', '-A', '-o', 'wide'],
  pods: ['get', 'pods', '-A', '-o', 'wide'],
  'pods-yaml': ['get', 'pods', '-A', '-o', 'yaml'],
  'describe-pods': ['describe', 'pods', '-A'],
  daemonsets: ['get', 'daemonsets', '-A', '-o', 'yaml'],
  'describe-daemonset': ['-n', 'kube-system', 'describe', 'daemonset', 'aws-node'],
  csr: ['get', 'csr'],
  'csr-yaml': ['get', 'csr', '-o', 'yaml'],
  'events-json': ['get', 'events', '-A', '-o', 'json'],
  'csr-describe': ['describe', 'csr'],
  'aws-auth-json': ['-n', 'kube-system', 'get', 'configmap', 'aws-auth', '-o', 'json'],
  'aws-auth-describe': ['-n', 'kube-system', 'describe', 'configmap', 'aws-auth'],
  version: ['version'],
  'aws-auth': ['-n', 'kube-system', 'get', 'configmap', 'aws-auth', '-o', 'yaml'],
} as const;

type View = keyof typeof VIEWS;

interface Look extends Truth {
  readonly situation: SituationName;
  readonly views: readonly View[];
  readonly version?: string;
}

/** One row of the table: situation, views, version of kubectl, verdict, cause. */
function lookOf(row: string): Look {
  const [situation = '', views = '', version = '', expect = '', cause = ''] = row.split(/ +/);
  if (!isSituation(situation)) throw new Error(`${situation} is no situation`);
  return {
    situation,
    views: views.split(',').map(viewOf),
    ...(version === NEWEST ? {} : { version }),
    cause,
    expect: expect as Look['expect'],
  };
}

function isSituation(name: string): name is SituationName {
  return Object.hasOwn(ALL, name);
}

function viewOf(name: string): View {
  if (!Object.hasOwn(VIEWS, name)) throw new Error(`${name} is no view`);
  return name as View;
}

/** That of the control plane. */
const NEWEST = '1.36';
const LOOKS: readonly Look[] = LOOKS_TABLE.trim().split('\n').map(lookOf);

function idOf({ situation, views, version }: Look): string {
  const of = version === undefined ? '' : `-${version}`;
  return `kubectl${of}/${situation}-${views.join('-')}`;
}

function commandOf(view: View): string {
  return `kubectl ${VIEWS[view].join(' ')}`;
}

async function look(stage: Stage, view: View, version?: string): Promise<string> {
  const { text } = await stage.kubectl(VIEWS[view], version);
  return text;
}

function fileName(view: View): string {
  const form = VIEWS[view].at(-1);
  return `${view}.${form === 'yaml' || form === 'json' ? form : 'txt'}`;
}

export const KUBECTL: readonly Scenario[] = LOOKS.map((one) => {
  const { situation: name, views, version, ...truth } = one;
  const { what, situation } = ALL[name];
  return {
    ...truth,
    id: idOf(one),
    source: `Kubernetes 1.36.3 in which ${what}; ${views.map(commandOf).join(', ')} of kubectl ${version ?? '1.36'}`,
    needs: ['kube-apiserver', 'etcd', version === undefined ? 'kubectl' : `kubectl-${version}`],
    system: [],
    situation,
    run: async (stage) => {
      const files = [];
      for (const view of views)
        files.push({ name: fileName(view), text: await look(stage, view, version) });
      return files;
    },
  };
});
