import { at, type Json, type JsonObject, listAt, textAt } from '../evidence/json.ts';
import type { Ask } from './asking.ts';

/** Insights that do not pass, of which the details are read at most. */
const INSIGHTS_MAX = 10;
/** Node groups in trouble whose updates are read at most, and updates of each. */
const GROUPS_MAX = 5;
const UPDATES_MAX = 10;
/** Types of access entries to which policies may be given. */
const WITH_POLICIES: readonly string[] = ['STANDARD', 'EC2'];

interface AskEks {
  (operation: string, input: JsonObject): ReturnType<Ask>;
  readonly first: Ask['first'];
}

function askerOf(ask: Ask, clusterName: string): AskEks {
  const asked = async (operation: string, input: JsonObject): ReturnType<Ask> =>
    ask({
      service: 'eks',
      operation,
      input:
        operation === 'ListUpdates' || operation === 'DescribeUpdate'
          ? input
          : { clusterName, ...input },
      isOptional: true,
    });
  return Object.assign(asked, { first: ask.first });
}

function namesIn(answers: readonly JsonObject[], member: string): readonly string[] {
  return answers.flatMap((answer) => listAt(answer, member).map(String));
}

/**
 * What EKS knows of a cluster: node groups, add-ons, access entries, Pod Identity and insights that
 * do not pass. `description` is the answer to DescribeCluster, for which nothing else waits.
 */
export async function askEks(
  ask: Ask,
  cluster: string,
  description: Promise<readonly JsonObject[]>,
): Promise<void> {
  const eks = askerOf(ask, cluster);
  await Promise.all([
    askGroups(eks, cluster, description),
    askAddons(eks),
    eks('ListAccessEntries', {}),
    eks('ListPodIdentityAssociations', {}),
    askInsights(eks),
  ]);
}

async function askAddons(eks: AskEks): Promise<void> {
  const names = namesIn(await eks('ListAddons', {}), 'addons');
  await Promise.all(names.map((addonName) => eks('DescribeAddon', { addonName })));
}

/** Checks that pass say nothing that helps, so that they are not asked for. */
async function askInsights(eks: AskEks): Promise<void> {
  const listed = await eks('ListInsights', { filter: { statuses: ['WARNING', 'ERROR'] } });
  const ids = listed
    .flatMap((answer) => listAt(answer, 'insights'))
    .filter((insight) => textAt(insight, 'insightStatus.status') !== 'PASSING')
    .map((insight) => textAt(insight, 'id') ?? '')
    .filter((id) => id !== '');
  await Promise.all(
    eks.first(ids, INSIGHTS_MAX, 'insights').map((id) => eks('DescribeInsight', { id })),
  );
}

async function askGroups(
  eks: AskEks,
  cluster: string,
  description: Promise<readonly JsonObject[]>,
): Promise<void> {
  const names = namesIn(await eks('ListNodegroups', {}), 'nodegroups');
  const answers = await Promise.all(
    names.map((nodegroupName) => eks('DescribeNodegroup', { nodegroupName })),
  );
  const version = textAt((await description)[0], 'cluster.version');
  const troubled = answers
    .flat()
    .map((answer) => at(answer, 'nodegroup') ?? null)
    .filter((group) => mayHaveFailed(group, version))
    .map((group) => textAt(group, 'nodegroupName') ?? '');
  await Promise.all(
    eks
      .first(troubled, GROUPS_MAX, 'node groups in trouble')
      .map((nodegroupName) => askUpdates(eks, cluster, nodegroupName)),
  );
}

/** A group that is being changed, that is unwell, or that stayed behind its cluster. */
function mayHaveFailed(group: Json, version: string | null): boolean {
  const own = textAt(group, 'version');
  return (
    /^(?:UPDATING|DEGRADED)$/.test(textAt(group, 'status') ?? '') ||
    listAt(group, 'health.issues').length > 0 ||
    (own !== null && version !== null && own !== version)
  );
}

/** Ids of updates say nothing of their order, so that several are read. */
async function askUpdates(eks: AskEks, cluster: string, nodegroupName: string): Promise<void> {
  const of = { name: cluster, nodegroupName };
  const all = namesIn(await eks('ListUpdates', of), 'updateIds');
  const ids = eks.first(all, UPDATES_MAX, 'updates of a node group');
  await Promise.all(ids.map((updateId) => eks('DescribeUpdate', { ...of, updateId })));
}

/** How the roles of machines are admitted: their entries, and the policies of those that have any. */
export async function askEntries(
  ask: Ask,
  cluster: string,
  roles: readonly string[],
): Promise<void> {
  const eks = askerOf(ask, cluster);
  await Promise.all(
    roles.map(async (principalArn) => {
      const [answer] = await eks('DescribeAccessEntry', { principalArn });
      const type = textAt(answer, 'accessEntry.type') ?? '';
      if (WITH_POLICIES.includes(type)) await eks('ListAssociatedAccessPolicies', { principalArn });
    }),
  );
}
