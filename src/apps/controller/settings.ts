import { AUTH_MODES } from '../../controllers/auth/keeper.ts';
import { JANITOR_MODES } from '../../controllers/eni-janitor/janitor.ts';
import { LOG_FORMATS, LOG_LEVELS } from '../../runtime/log/logger.ts';
import type { Settings } from '../../runtime/configuration/setting.ts';
import { LIVE_OPTIONS } from '../cli/declared/shared.ts';
import { isPlainUrl, queueTrouble } from '../cli/live/open-queue.ts';
import { addressOf } from '../cli/options/address.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

/** What `rollcall controller` can be set to, by its file, its flags and its environment. */
export const CONTROLLER_SETTINGS = {
  reports: {
    kind: 'switch',
    fallback: false,
    isFixed: true,
    help: 'Write a NodeReport for each machine',
  },
  events: {
    kind: 'switch',
    fallback: false,
    isFixed: true,
    help: 'Write an Event when a Node registers, goes, or is deleted, and by whom',
  },
  record: {
    kind: 'text',
    fallback: null,
    isFixed: true,
    valueName: 'FILE',
    help: 'Record what happens for rollcall timeline: a file, or a postgres:// URL',
  },
  keep: {
    kind: 'duration',
    fallback: 30 * DAY_MS,
    least: 1000,
    most: 100 * YEAR_MS,
    isFixed: true,
    valueName: 'TIME',
    help: 'How long rows are kept',
  },
  maxSize: {
    kind: 'number',
    fallback: 1024,
    least: 1,
    most: 1_000_000,
    isFixed: true,
    valueName: 'MIB',
    help: 'Size in MiB beyond which the oldest rows are forgotten',
  },
  nodeLogs: {
    kind: 'switch',
    fallback: false,
    isFixed: true,
    help: 'Record the log of the VPC CNI of machines that are about to go, through their kubelets; needs get nodes/proxy',
  },
  auth: {
    kind: 'choice',
    fallback: 'off',
    values: AUTH_MODES,
    isFixed: true,
    valueName: 'MODE',
    help: 'What is done where aws-auth lost the mapping of a node role that machines need',
  },
  awsEvents: {
    kind: 'text',
    fallback: null,
    isFixed: true,
    valueName: 'URL',
    check: (value) => queueTrouble(value, 'controller'),
    help: 'SQS queue to which EventBridge sends what EC2, Auto Scaling and AWS Health report; messages that were read are removed',
  },
  eniJanitor: {
    kind: 'choice',
    fallback: 'off',
    values: JANITOR_MODES,
    isFixed: true,
    valueName: 'MODE',
    help: 'What is done about network interfaces that the VPC CNI left behind; delete cannot be taken back',
  },
  eniHourly: {
    kind: 'number',
    fallback: 12,
    least: 1,
    most: 100,
    isFixed: true,
    valueName: 'N',
    help: 'Interfaces that --eni-janitor delete deletes within one hour at most',
  },
  dryRun: {
    kind: 'switch',
    fallback: false,
    help: 'Have the server check each write of --reports and --auth and AWS each of --eni-janitor, write no Event, send nothing, and store nothing but the Lease',
  },
  keepReports: {
    kind: 'duration',
    fallback: DAY_MS,
    least: 1000,
    most: YEAR_MS,
    valueName: 'TIME',
    help: 'How long the report of a machine stays that is gone',
  },
  listen: {
    kind: 'text',
    fallback: '127.0.0.1:8470',
    isFixed: true,
    valueName: 'ADDRESS',
    check: (value) =>
      addressOf(value) === null ? 'is not an address and a port, such as 127.0.0.1:8470' : null,
    help: 'Address and port of /metrics, /livez and /readyz',
  },
  namespace: {
    kind: 'text',
    fallback: 'rollcall',
    isFixed: true,
    valueName: 'NAMESPACE',
    help: 'Namespace of the Lease',
  },
  webhook: {
    kind: 'text',
    fallback: null,
    isFixed: true,
    isSecret: true,
    check: (value) => (isPlainUrl(value) ? null : 'is not an http or https URL without a user'),
    help: 'URL to which each happening is sent as JSON by the replica that leads',
  },
  webhookSecret: {
    kind: 'text',
    fallback: null,
    isSecret: true,
    help: 'Signs what is sent to the webhook by HMAC-SHA256',
  },
  logFormat: {
    kind: 'choice',
    fallback: 'text',
    values: LOG_FORMATS,
    valueName: 'FORMAT',
    help: 'How a line of the log is written',
  },
  logLevel: {
    kind: 'choice',
    fallback: 'info',
    values: LOG_LEVELS,
    valueName: 'LEVEL',
    help: 'The least level that is logged',
  },
  cluster: {
    kind: 'text',
    fallback: null,
    isFixed: true,
    valueName: 'NAME',
    help: LIVE_OPTIONS.cluster.help,
  },
  region: {
    kind: 'text',
    fallback: null,
    isFixed: true,
    valueName: 'REGION',
    help: LIVE_OPTIONS.region.help,
  },
} as const satisfies Settings;
