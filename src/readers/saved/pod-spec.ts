import { READ_VARIABLES } from '../../evidence/kube/pod.ts';
import { type Json, textAt } from '../../evidence/json.ts';
import { countLeftOut, fields, type KeptBy, type KeptFields } from './keep.ts';

const keptVariable: KeptBy = (value, left) => {
  const name = textAt(value, 'name') ?? '';
  const given = textAt(value, 'value');
  if (READ_VARIABLES.test(name)) return given === null ? { name } : { name, value: given };
  countLeftOut(left, 'environment variables');
  return undefined;
};

/** Flags of well-known programs that causes read, and the words that tell kiam what it is. */
const ARGUMENT =
  /^(?:--(?:cloud-provider|allocate-node-cidrs|host-interface)(?:=[\w.,!+-]{0,60})?|agent|server)$/;
const PROGRAM = /^[\w./-]{1,100}$/;

const keptWords: KeptBy = (value, left) => {
  if (!Array.isArray(value)) return undefined;
  const words = (value as readonly Json[]).map(String);
  const kept = words.filter(
    (word, index) => ARGUMENT.test(word) || (index === 0 && PROGRAM.test(word)),
  );
  countLeftOut(left, 'arguments of containers', words.length - kept.length);
  return kept;
};

/** A probe may run any command and send any header; its place and its times say what it proves. */
const PROBE: KeptFields = {
  httpGet: fields('path', 'port', 'scheme'),
  tcpSocket: fields('port'),
  exec: () => ({}),
  ...fields('initialDelaySeconds', 'periodSeconds', 'timeoutSeconds', 'failureThreshold'),
};

const CONTAINER: KeptFields = {
  ...fields('name', 'image', 'resources'),
  command: keptWords,
  args: keptWords,
  env: [keptVariable],
  readinessProbe: PROBE,
  livenessProbe: PROBE,
};

/** What causes read of how a pod is to run. */
export const POD_SPEC: KeptFields = {
  ...fields(
    'nodeName',
    'hostNetwork',
    'serviceAccountName',
    'priorityClassName',
    'nodeSelector',
    'tolerations',
    'affinity',
  ),
  containers: [CONTAINER],
  initContainers: [CONTAINER],
  volumes: [
    {
      projected: { sources: [{ serviceAccountToken: fields('audience', 'path') }] },
      persistentVolumeClaim: fields('claimName'),
    },
  ],
};
