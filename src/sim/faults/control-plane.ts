import type { PortFailure } from '../../ports/port-error.ts';
import type { Program } from '../platform/platform.ts';
import type { Fault, Truth } from './contract.ts';
import { MINUTE_MS } from './shapes.ts';

/** Kinds of which Rollcall lists all. */
const KINDS = ['nodes', 'pods', 'events', 'daemonsets', 'configmaps', null] as const;

/** Rollcall's own requests are refused; no machine breaks of it. */
function refused(id: string, failures: readonly PortFailure[], kinds = KINDS): Fault {
  return {
    id,
    perHour: 2,
    lastsMs: 5 * MINUTE_MS,
    inject({ looking }, random) {
      const plural = random.pick<string | null>(kinds);
      const failure = random.pick(failures);
      return {
        what: `lists of ${plural ?? 'everything'} are refused: ${failure}`,
        truths: [],
        undo: looking.refuse(plural, failure),
      };
    },
  };
}

const compacted: Fault = {
  id: 'F12',
  perHour: 2,
  lastsMs: 3 * MINUTE_MS,
  inject({ simulated, looking }) {
    simulated.api.compact();
    return { what: 'continue tokens are too old', truths: [], undo: looking.breakPages() };
  },
};

/** A program of the control plane that is away, and where it shows. */
const AWAY: readonly (readonly [Program, Omit<Truth, 'machines'> | null])[] = [
  [
    'cloud-controller-manager',
    { causes: ['no-cloud-controller-manager'], shows: ['uninitialized'] },
  ],
  ['kube-scheduler', null],
  ['kube-controller-manager', { causes: ['unapproved-client-csr'], shows: ['no-node'] }],
  ['gate', { causes: ['gate-controller-down'], shows: ['tainted'] }],
];

/** All watches are cut and nobody who watches gets in; one more program restarts and stays away. */
const controlPlaneRestart: Fault = {
  id: 'F09',
  perHour: 1,
  lastsMs: 3 * MINUTE_MS,
  inject({ simulated, looking }, random) {
    const [program, truth] = random.pick(AWAY);
    if (!simulated.platform.isRunning(program)) return null;
    const letIn = looking.wire.refuse('unreachable');
    simulated.api.endWatches();
    simulated.platform.stopProgram(program);
    return {
      what: `the API server restarts, and ${program} is away`,
      truths: truth === null ? [] : [{ ...truth, machines: null }],
      undo: () => {
        letIn();
        simulated.platform.startProgram(program);
      },
    };
  },
};

const unapproved: Fault = {
  id: 'F49',
  perHour: 0.7,
  lastsMs: 10 * MINUTE_MS,
  inject({ simulated }) {
    const program = 'kube-controller-manager';
    if (!simulated.platform.isRunning(program)) return null;
    simulated.platform.stopProgram(program);
    return {
      what: 'nobody approves certificate requests',
      truths: [{ causes: ['unapproved-client-csr'], machines: null, shows: ['no-node'] }],
      undo: () => simulated.platform.startProgram(program),
    };
  },
};

/** Faults of the control plane, as Rollcall and the other programs meet them. */
export const CONTROL_FAULTS: readonly Fault[] = [
  refused('F05', ['throttled']),
  refused('F06', ['unavailable', 'timeout', 'malformed']),
  refused('F07', ['denied', 'unauthenticated']),
  controlPlaneRestart,
  compacted,
  unapproved,
];
