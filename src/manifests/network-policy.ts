import { placed } from './objects.ts';
import type { TemplateFields } from './template.ts';

/** Of services behind whose address the API server answers, and of the API server itself. */
const API_PORTS = [443, 6443];
const DNS = [
  { port: 53, protocol: 'UDP' },
  { port: 53, protocol: 'TCP' },
];
/** Instance metadata, and the agent of Pod Identity. */
const CREDENTIALS = ['169.254.169.254/32', '169.254.170.23/32'];

function portsOf(ports: readonly number[]): readonly TemplateFields[] {
  return ports.map((port) => ({ port, protocol: 'TCP' }));
}

/** Its port of health and metrics is reached; it reaches DNS, API servers, and with AWS its credentials. */
export function networkPolicy(name: string, port: number, usesAws: boolean): TemplateFields {
  const credentials = {
    to: CREDENTIALS.map((cidr) => ({ ipBlock: { cidr } })),
    ports: portsOf([80]),
  };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: placed(name),
    spec: {
      podSelector: { matchLabels: { app: name } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: portsOf([port]) }],
      egress: [{ ports: [...DNS, ...portsOf(API_PORTS)] }, ...(usesAws ? [credentials] : [])],
    },
  };
}
