/** Mistakes that an agent easily makes in how it asks for instance metadata. */
import type { Host } from '../../../src/ports/host.ts';
import { shippedPolicies, withSpec } from '../platform/shipped-admission.ts';
import { hastyAgent } from './redirects.ts';
import type { AgentBug, AgentPlan, Way } from './world.ts';

export interface PlantedAgentBug {
  /** Of its kind in the list: `P7`. */
  readonly id: string;
  readonly caughtBy: readonly string[];
  readonly plan: AgentPlan;
}

/** Where there is a rule nobody is asked: it will work. */
const ruleIsFunction: AgentBug = ({ pods, way, at }) => ({
  ...pods,
  request: async (request) =>
    (way().rules.includes('PREROUTING') ? at('agent') : pods).request(request),
});

/** One connection for ever, which leads where it led as it was opened. */
const oneConnection =
  (isOpened: (way: Way) => boolean): AgentBug =>
  ({ pods, way, at }) => {
    let open: Host | null = null;
    return {
      ...pods,
      async request(request) {
        if (open === null && isOpened(way())) open = at(way().ofPods);
        return (open ?? pods).request(request);
      },
    };
  };

/** Whether the internet is there tells it whether its network works. */
const asksTheInternet: AgentBug = ({ pods }) => ({
  ...pods,
  async request(request) {
    await pods.request({ ...request, url: 'http://checkip.example.com/' }).catch(() => undefined);
    return pods.request(request);
  },
});

function asking(bug: AgentBug): AgentPlan {
  return { bug };
}

/** As others gate: what is ready for the kubelet is ready. */
const HASTY: AgentPlan = { redirect: { program: hastyAgent, gate: 'daemonset' } };

export const AGENT_BUGS: readonly PlantedAgentBug[] = [
  { id: 'P6', caughtBy: ['I-01'], plan: HASTY },
  { id: 'P7', caughtBy: ['I-02'], plan: asking(ruleIsFunction) },
  { id: 'P31', caughtBy: ['L-01'], plan: asking(oneConnection(() => true)) },
  {
    id: 'a probe uses a connection from before the rule was gone',
    caughtBy: ['I-02'],
    plan: asking(oneConnection(({ ofPods }) => ofPods === 'agent')),
  },
  { id: 'P32', caughtBy: ['I-02'], plan: asking(({ host }) => host) },
  { id: 'a probe asks the internet', caughtBy: ['I-39'], plan: asking(asksTheInternet) },
  // What listens on loopback is reached whatever the rules say.
  { id: 'P33', caughtBy: ['I-02'], plan: asking(({ at }) => at('agent')) },
  {
    id: 'a policy of admission for agents is asked about kubelets too',
    caughtBy: ['I-36'],
    plan: { outage: shippedPolicies().map((one) => withSpec(one, { matchConditions: [] })) },
  },
];
