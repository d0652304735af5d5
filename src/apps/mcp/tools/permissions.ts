import type { PermissionAnswer } from '../../../collection/permissions-check.ts';
import { bindCommands } from '../../../collection/permissions.ts';
import { type Wanted, wantedOf } from '../../cli/commands/permissions.ts';
import { PERMISSIONS_COMMAND } from '../../cli/declared/permissions.ts';
import { checkPermissions } from '../../cli/live/permissions-live.ts';
import { type CallContext, declareTool, type ToolAnswer } from '../tool.ts';

function listed(granted: PermissionAnswer['granted'], answers: readonly PermissionAnswer[]) {
  const own = answers.filter((one) => one.granted === granted);
  return own.map(({ permission, isOptional }) => ({ permission, isOptional }));
}

async function checked(wanted: Wanted, { session, context }: CallContext): Promise<ToolAnswer> {
  const { answers, unseen } = await checkPermissions(wanted, session.flags, context.ending);
  const unknown = answers.filter(({ granted }) => granted === 'unknown');
  return {
    answer: {
      granted: answers.filter(({ granted }) => granted === 'yes').length,
      missing: listed('no', answers),
      unknown: listed('unknown', answers),
    },
    next: null,
    untrusted: { reasons: [...new Set([...unseen, ...unknown.map(({ how }) => how)])] },
  };
}

export const permissionsTool = declareTool({
  name: 'permissions',
  title: 'Permissions that Rollcall needs',
  description:
    'Lists the smallest Kubernetes roles and IAM policy for what Rollcall reads, or with check asks which of them the current identity lacks. Use check when an answer says that something was denied.',
  input: {
    for: PERMISSIONS_COMMAND.options.for,
    check: { kind: 'flag', help: 'Ask Kubernetes and AWS which permissions are missing' },
  },
  required: [],
  isOpenWorld: true,
  answer: async ({ for: features, check }, call) => {
    const wanted = wantedOf(features);
    if (check) return checked(wanted, call);
    const { roles, policy } = wanted;
    const purposes = wanted.features.map(({ feature, for: purpose }) => ({ feature, purpose }));
    const answer = { features: purposes, roles, bind: bindCommands(roles), policy };
    return { answer, next: null, untrusted: null };
  },
});
