import {
  bypassingFlows,
  type MetadataFlow,
  type MetadataPath,
  redirectsOf,
} from './metadata-path.ts';

/** What a pod got from 169.254.169.254 on connections that it opened just now. */
export interface FreshAnswer {
  /** Status of the request for a token; null when nothing answered it. */
  readonly tokenStatus: number | null;
  /** Status of the request for the name of the role; null when nothing answered it. */
  readonly roleStatus: number | null;
  /** The role that it would be given; null for none. */
  readonly role: string | null;
  readonly tookMs: number;
}

export interface GuardInput {
  readonly fresh: FreshAnswer;
  /** null when the machine's own network was not seen. */
  readonly path: MetadataPath | null;
  /** The role of the machine: null for none, undefined when not known. */
  readonly nodeRole: string | null | undefined;
  /** True where a firewall drops what pods send there, which no rule on the machine shows. */
  readonly isSilenceExpected: boolean;
}

export interface GuardResult {
  readonly answer: 'yes' | 'no' | 'unknown';
  readonly reason: string;
  readonly message: string;
}

const NAMED_FLOWS_MAX = 3;

function yes(reason: string, message: string): GuardResult {
  return { answer: 'yes', reason, message };
}

function no(reason: string, message: string): GuardResult {
  return { answer: 'no', reason, message };
}

function unknown(reason: string, message: string): GuardResult {
  return { answer: 'unknown', reason, message };
}

/** Whether no pod of this machine gets the machine's own role from instance metadata. */
export function metadataGuard(input: GuardInput): GuardResult {
  const { fresh, path, nodeRole } = input;
  const took = `(${Math.round(fresh.tookMs)} ms)`;
  if (fresh.role !== null && fresh.role === nodeRole)
    return no('NodeRoleExposed', `${exposed(fresh, nodeRole)} ${took}.`);
  const hasRedirect = path !== null && redirectsOf(path).length > 0;
  if (hasRedirect) return redirected(input, path, took);
  if (fresh.role !== null) return answeredElsewhere(input, took);
  return unredirected(input, took);
}

/** A token needs a reply that survives one more hop; an answer without a token does not. */
function exposed({ tokenStatus }: FreshAnswer, role: string): string {
  const how =
    tokenStatus === null
      ? 'without a token, as the hop limit stops tokens alone; require tokens'
      : 'which nothing redirects';
  return `A new connection from the pod network gets the node's role ${role}, ${how}`;
}

function redirected(input: GuardInput, path: MetadataPath, took: string): GuardResult {
  const { fresh, nodeRole } = input;
  const [rule] = redirectsOf(path);
  const to = rule?.to ?? 'the machine';
  const old = oldFlows(path, to);
  if (old !== null) return old;
  if (fresh.role !== null && nodeRole === undefined)
    return unknown(
      'NodeRoleUnknown',
      `Requests are redirected to ${to}, which gives the role ${fresh.role}; the node's role is unknown.`,
    );
  if (fresh.roleStatus === null)
    return yes(
      'RedirectedUnanswered',
      `Requests are redirected to ${to}, which does not answer ${took}.`,
    );
  const given = fresh.role === null ? `no role (status ${fresh.roleStatus})` : `role ${fresh.role}`;
  return yes('Redirected', `Requests are redirected to ${to}, which gives ${given} ${took}.`);
}

/** What connections from before a redirect say; null when there are none. */
function oldFlows(path: MetadataPath, to: string): GuardResult | null {
  if (path.flows === null)
    return unknown(
      'OldFlowsUnread',
      `New connections lead to ${to}; those from before could not be listed.`,
    );
  const old = bypassingFlows(path);
  return old.length > 0 ? no('OldFlowBypassesRedirect', bypass(old, to)) : null;
}

function bypass(flows: readonly MetadataFlow[], to: string): string {
  const named = flows.slice(0, NAMED_FLOWS_MAX).map(({ from, fromPort }) => `${from}:${fromPort}`);
  const more = flows.length - named.length;
  const others = more > 0 ? ` and ${more} more` : '';
  return (
    `Connections from before the redirect to ${to} still reach instance metadata, so their pods ` +
    `get the node's role: ${named.join(', ')}${others}. Restart these pods.`
  );
}

function answeredElsewhere({ fresh, nodeRole, path }: GuardInput, took: string): GuardResult {
  if (nodeRole === undefined)
    return unknown(
      'NodeRoleUnknown',
      `A new connection gets the role ${fresh.role}; the node's role is unknown.`,
    );
  const old = path === null ? null : oldFlows(path, 'an agent');
  if (old !== null) return old;
  return yes(
    'AnsweredByAgent',
    `A new connection gets the role ${fresh.role}, which is not the node's ${took}.`,
  );
}

function unredirected(input: GuardInput, took: string): GuardResult {
  const { fresh, path, nodeRole, isSilenceExpected } = input;
  const { tokenStatus, roleStatus } = fresh;
  if (roleStatus === 401 && tokenStatus === null)
    return yes(
      'HopLimit',
      `Instance metadata asks for a token, and its hop limit keeps tokens from pods ${took}.`,
    );
  if (roleStatus === 403)
    return yes('EndpointDisabled', `Instance metadata is disabled: status 403 ${took}.`);
  if (roleStatus === 404 && nodeRole === null)
    return yes('NoRoleToExpose', `The machine has no role ${took}.`);
  if (roleStatus !== null)
    return unknown(
      'UnclearAnswer',
      `169.254.169.254 answered status ${roleStatus}, and no redirect is known.`,
    );
  const hasDrop = path?.rules?.some(({ does }) => does === 'drop') === true;
  if (hasDrop || isSilenceExpected)
    return yes('Blocked', `Nothing answers pods at 169.254.169.254 ${took}.`);
  return unknown(
    'NoAnswer',
    `Nothing answers at 169.254.169.254, and no rule says why ${took}: its route may still be missing. Where a firewall blocks it: --metadata-blocked.`,
  );
}
