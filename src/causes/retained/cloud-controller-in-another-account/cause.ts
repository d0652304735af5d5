import {
  cannotSay,
  clear,
  defineCause,
  found,
  foundInShown,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { environmentOf, isPodReady, podName, serviceAccountOf } from '../../../domain/pods/pods.ts';
import { placeOf } from '../../../domain/pods/pods-seen.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

const CONTROLLER = /^(?:aws-)?cloud-controller-manager(?:-|$)/;
const CLOUD_CONFIG = /cloud-conf|cloud-provider/;
const ROLE_ANNOTATION = 'eks.amazonaws.com/role-arn';
const ARN_ACCOUNT = /^arn:aws[\w-]*:[\w-]+:[\w-]*:(?<account>\d{12}):/;
const REGION = /^[a-z]{2}(?:-[a-z]+){1,2}-\d/;

/** The cloud controller asks EC2 of another account or region, where the instance is not. */
const cause = defineCause({
  id: 'cloud-controller-in-another-account',
  stage: 'retained',
  title: 'the cloud controller looks in another account or region than the instance lives in',
  scope: 'machine',
  signs: {
    deleted: context(
      ['event', 'controller-manager', 'cloud-controller', 'kubelet', 'client-output'],
      /[Dd]eleting [Nn]ode (?:(?:since it is |\()?no longer present in cloud provider\)?"?:? (?:node=)?"?(?<node>[a-z0-9][a-z0-9.-]*)|(?<node2>[a-z0-9][a-z0-9.-]*) because it(?:'s not present according to| does not exist in the) cloud provider)/,
    ),
    assumedRole: context(
      ['cloud-controller', 'controller-manager'],
      /Using AWS assumed role (?<role>arn:aws[\w-]*:iam::(?<account>\d{12}):role\/[\w+=,.@/-]+)/,
    ),
    notFound: context(
      ['cloud-controller', 'controller-manager'],
      /(?:error syncing '|failed to initialize node )(?<node>[a-z0-9][a-z0-9.-]{0,252}).{0,300}(?:instance not found|no instances found)/,
      { anchors: ['instance not found', 'no instances found'] },
    ),
    // As whom the machine of the controller calls; people blot out digits of accounts.
    callsAs: context(
      ['client-output', 'unknown', 'aws-message'],
      /\barn:aws[\w-]{0,12}:sts::(?<caller>[\dxX*]{12}):assumed-role\/[\w+=,.@-]{0,64}(?:control-?plane|masters?|controllers?|ccm)[\w+=,.@-]{0,64}\//i,
      { anchors: [':assumed-role/'], isBackground: true },
    ),
    // A row or a member of `aws ec2 describe-instances` that was asked for the owner.
    ownedBy: context(
      ['client-output', 'unknown', 'aws-message'],
      /^(?<owner>[\dxX*]{12})\s{1,40}i-[0-9a-f]{8,17}\b.{0,200}\brunning\b|"OwnerId": ?"(?<owner2>[\dxX*]{12})"/,
      { anchors: ['running', 'OwnerId'], isBackground: true },
    ),
    machinesElsewhereTold: context(
      ['client-output', 'unknown', 'event'],
      /\b(?:[Ww]orkers?|[Nn]odes?|[Mm]achines?|[Ii]nstances?|EC2s?)\b.{0,30}\b(?:in|from|of|to|into)\b.{0,16}\b(?:second|other|another|different|separate|peered|new) (?:AWS |aws )?[Aa]ccount\b|\b(?:[Ww]orkers?|[Nn]odes?|[Mm]achines?|[Ii]nstances?)\b.{0,60}\baccount (?<owner3>[\dxX*]{12})\b.{0,80}\b(?:[Cc]ontrol[ -][Pp]lane|[Cc]loud[ -][Cc]ontroller|CCM|[Mm]asters?)\b.{0,40}\b(?!\k<owner3>)(?<caller2>[\dxX*]{12})\b/,
      { isTold: true, isBackground: true, anchors: ['ccount'] },
    ),
    wrongAccountTold: likely(
      ['client-output', 'unknown', 'event'],
      /(?:\bCCM\b|[Cc]loud[ -][Cc]ontroller).{0,200}\b(?:looks|looking|searches|searching|asks|asking) in (?:the|another|a different) (?:wrong |other )?account\b/,
      { isTold: true, anchors: [' account'] },
    ),
    toldDeleted: context(
      ['client-output', 'unknown'],
      /\b(?:controllers?|CCM|control plane|cloud provider|cluster)\b[^."]{0,60}\s(?:delet|remov)(?:es|ed|ing) (?:our |the |my |its |all )?(?:\w+ )?nodes?\b|\bno longer present in (?:the )?cloud provider\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: [' delet', ' remov', 'no longer present in '],
      },
    ),
    toldElsewhere: context(
      ['client-output', 'unknown'],
      /\b(?:nodes?|instances?|machines?|workers?)\b[^.]{0,60}\b(?:in|of|from|belong to) (?:an?|our|the) (?:different|another|other|second|separate) (?:AWS |aws )?accounts?\b|\b(?:nodes?|instances?|machines?|workers?)\b[^.]{0,40}\bin another (?:AWS |aws )?account\b/,
      { isTold: true, anchors: [' account'] },
    ),
  },
  needs: ['aws/instance', 'aws/caller', 'kube/Pod', 'kube/ServiceAccount', 'kube/ConfigMap'],
  symptoms: ['node-object-deleted', 'instance-not-found'],
  withdrawnBy: ['node-ready'],
  explains: [
    'ccm-cannot-initialize-node',
    'node-deleted-as-not-in-cloud',
    'instance-not-yet-visible-in-ec2',
    'no-reregistration-after-deletion',
    'untagged-instance-filtered-out',
    'node-heartbeat-lost',
  ],
  summary: ({ node, instance, what, own, asked, controller }) =>
    instance === undefined && asked !== undefined
      ? `The cloud controller asks EC2 of the account ${asked} for the Node ${node ?? ''}, whose instance lives in the account ${own ?? ''}, so it finds none.`
      : asked === undefined
        ? 'The cloud controller asks EC2 of another account than the one in which the machines live, so it finds none of them.'
        : `The Node ${node ?? ''} was deleted as not existing although ${instance ?? 'its instance'} runs: it lives in ${what ?? 'account'} ${own ?? ''}, and the cloud controller (${controller ?? 'its pod'}) asks EC2 of ${what ?? 'account'} ${asked}.`,
  remedy: ({ what, own, controller }) => [
    what === 'region'
      ? step(
          'Let the cloud controller ask the region of the machines.',
          `kubectl -n kube-system set env daemonset/${controller?.split('/').at(-1) ?? 'aws-cloud-controller-manager'} AWS_REGION=${own ?? '<region>'}`,
        )
      : step(
          `Give the cloud controller a role of account ${own ?? '<account>'}, where the machines live; one cluster's machines belong into one account.`,
          `kubectl -n kube-system annotate serviceaccount ${controller?.split('/').at(-1) ?? 'cloud-controller-manager'} --overwrite ${ROLE_ANNOTATION}=arn:aws:iam::${own ?? '<account>'}:role/<controller-role>`,
        ),
    step(
      'Register the Node again; the kubelet does so only when it starts.',
      'sudo systemctl restart kubelet',
    ),
  ],
  decide: step(
    'Compare the role and region of the cloud controller with the owner of the instance.',
    "kubectl -n kube-system get serviceaccounts,configmaps -o yaml | grep -iE 'role-?arn|zone ='; aws ec2 describe-instances --instance-ids <instance> --query Reservations[].[OwnerId,Instances[].Placement.AvailabilityZone]",
  ),
  page: {
    why: 'DescribeInstances lists the machines of one account and one region. A cloud controller that has the role or the region of another place finds none of a foreign machine’s names, and deletes its Node each time it is not Ready.',
    prevent:
      'One account and region per cluster for machines that the cloud controller looks after; others run without a cloud provider.',
    notThis:
      'Every Node of the place is hit each time it is NotReady. One of many new machines is instance-not-yet-visible-in-ec2; a name that EC2 does not know is ccm-cannot-initialize-node, later node-deleted-as-not-in-cloud with a naming cause; a missing tag is untagged-instance-filtered-out.',
    alsoKnownAs: ['node deleted by cloud controller cross account', 'Using AWS assumed role'],
    refs: [
      'https://github.com/openshift/origin/issues/15948',
      'https://github.com/kubernetes/cloud-provider-aws/blob/HEAD/pkg/providers/v1/aws.go',
    ],
  },
});

export default matched(cause, (view) => {
  const places = matchPlaces(view);
  return places === null || places.verdict === 'unknown'
    ? (matchAccounts(view) ?? matchTold(view) ?? places)
    : places;
});

type Own = ViewOf<typeof cause>;

/** Where the controller looks or the instance lives, and what shows it. */
interface Place {
  readonly at: string;
  readonly controller: string;
  readonly proof: Quote;
}

/** Somebody says that Nodes are deleted, and that their machines are of another account. */
function matchTold(view: Own): Match | null {
  const [deleted, elsewhere] = [view.sign('toldDeleted'), view.sign('toldElsewhere')];
  if (view.isLive || deleted === null || elsewhere === null) return null;
  return found({}, [deleted.first, elsewhere.first], 'likely');
}

function matchPlaces(view: Own): Match | null {
  const deleted = view.sign('deleted');
  if (deleted === null) return null;
  if (!isWithoutNode(view) && !view.shows('node-object-deleted')) return null;
  const instance = view.list('aws/instance').find(({ value }) => value.State?.Name === 'running');
  if (instance === undefined) return null;
  const pod = controllerPod(view);
  const account = accountAsked(view, pod);
  const region = regionAsked(view, pod);
  const [ownAccount, ownRegion] = [accountOf(instance.value), regionOf(instance.value)];
  const foreign =
    [
      { what: 'account', own: ownAccount, place: account },
      { what: 'region', own: ownRegion, place: region },
    ].find(({ own, place }) => own !== null && place !== null && place.at !== own) ?? null;
  if (foreign === null) return isWithoutNode(view) ? whyNone(account, ownAccount) : null;
  const { what, own, place } = foreign;
  const id = instance.value.InstanceId ?? '';
  const zone = instance.value.Placement?.AvailabilityZone ?? '';
  const details = {
    node: deleted.last.captures['node'] ?? '',
    instance: id,
    what,
    own: own ?? '',
    asked: place?.at ?? '',
    controller: place?.controller ?? '',
  };
  const words = `${id} running in account ${ownAccount ?? 'unknown'}, ${zone}`;
  const proof = place === null ? [] : [place.proof];
  return found(details, [deleted.last, ...proof, view.quote(instance, words)]);
}

/** The controller finds no instance, and a person shows that it calls from another account. */
function matchAccounts(view: Own): Match | null {
  const lost = view.sign('notFound') ?? view.sign('deleted');
  if (lost === null || view.isLive) return null;
  const node = lost.last.captures['node'] ?? lost.last.captures['node2'] ?? '';
  const told = view.sign('machinesElsewhereTold');
  const owned = view.sign('ownedBy') ?? view.clusterSign('ownedBy');
  const own = owned?.last.captures['owner'] ?? owned?.last.captures['owner2'];
  const asked = callerOf(view);
  if (owned !== null && own !== undefined && asked !== null && areDistinct(own, asked.at))
    return foundInShown(
      found({ node, own, asked: asked.at }, [lost.last, owned.last, asked.proof], 'likely'),
    );
  if (own !== undefined && asked !== null) return clear;
  return told === null ? null : foundInShown(found({ node }, [lost.last, told.last], 'likely'));
}

function callerOf(view: Own): { readonly at: string; readonly proof: Quote } | null {
  const said = view.sign('callsAs') ?? view.clusterSign('callsAs');
  const at = said?.last.captures['caller'];
  if (said !== null && at !== undefined) return { at, proof: said.last };
  const [caller] = view.everywhere('aws/caller');
  const arn = caller?.value.Arn ?? '';
  const [, account = null] = CONTROL_PLANE_SESSION.exec(arn) ?? [];
  return caller === undefined || account === null
    ? null
    : { at: account, proof: view.quote(caller, `the control plane calls as ${arn}`) };
}

const CONTROL_PLANE_SESSION =
  /^arn:aws[\w-]*:sts::([\dxX*]{12}):assumed-role\/[\w+=,.@-]*(?:control-?plane|masters?|controllers?|ccm)/i;

/** Account numbers, digits of which may be blotted out, that differ in a digit which both show. */
function areDistinct(one: string, other: string): boolean {
  return Array.from({ length: one.length }, (_, at) => [one.charAt(at), other.charAt(at)]).some(
    ([a = '', b = '']) => /\d/.test(a) && /\d/.test(b) && a !== b,
  );
}

function isWithoutNode(view: Own): boolean {
  return view.shows('machine-without-node');
}

function whyNone(asked: Place | null, own: string | null): Match {
  return asked === null || own === null ? unseen : clear;
}

const unseen = cannotSay({
  reason: 'not-collected',
  detail: 'with which role, in which account, the cloud controller asks EC2',
  collect: "kubectl -n kube-system get serviceaccounts,configmaps -o yaml | grep -iE 'role-?arn'",
});

function controllerPod(view: Own): Seen<Pod> | null {
  const own = view.everywhere('kube/Pod').filter(({ value }) => CONTROLLER.test(value.name));
  return own.find(({ value }) => isPodReady(value)) ?? null;
}

function accountIn(arn: string | null): string | null {
  return ARN_ACCOUNT.exec(arn ?? '')?.groups?.['account'] ?? null;
}

/** The owner of the instance, by its interfaces; its profile is of the same account. */
function accountOf(instance: Instance): string | null {
  const owner = (instance.NetworkInterfaces ?? [])[0]?.OwnerId ?? null;
  return owner ?? accountIn(instance.IamInstanceProfile?.Arn ?? null);
}

function regionOf(instance: Instance): string | null {
  return REGION.exec(instance.Placement?.AvailabilityZone ?? '')?.[0] ?? null;
}

/** Which account the controller's calls go to: its configuration first, then its role, then its machine. */
function accountAsked(view: Own, pod: Seen<Pod> | null): Place | null {
  return (
    configured(view, pod) ?? (pod === null ? null : ofServiceAccount(view, pod)) ?? ofLog(view)
  );
}

/** The value of `Key = …` in the configuration of the cloud provider. */
function settingIn(config: string, key: string): string | null {
  for (const line of config.split('\n')) {
    const [name = '', value = ''] = line.split('=', 2);
    if (name.trim().toLowerCase() === key) return value.trim().replaceAll('"', '') || null;
  }
  return null;
}

function cloudConfig(
  view: Own,
  key: string,
): { value: string; fact: Seen<unknown>; name: string } | null {
  const maps = view
    .everywhere('kube/ConfigMap')
    .filter(({ value }) => value.namespace === 'kube-system' && CLOUD_CONFIG.test(value.name));
  for (const fact of maps) {
    for (const config of Object.values(fact.value.data ?? {})) {
      const value = settingIn(config, key);
      if (value !== null) return { value, fact, name: fact.value.name };
    }
  }
  return null;
}

function configured(view: Own, pod: Seen<Pod> | null): Place | null {
  const role = cloudConfig(view, 'rolearn');
  const account = accountIn(role?.value ?? null);
  if (role === null || account === null) return null;
  const words = `ConfigMap kube-system/${role.name} RoleARN ${role.value}`;
  return { at: account, controller: controllerName(pod), proof: view.quote(role.fact, words) };
}

function controllerName(pod: Seen<Pod> | null): string {
  return pod === null ? 'cloud-controller-manager' : serviceAccountOf(pod.value);
}

function ofServiceAccount(view: Own, pod: Seen<Pod>): Place | null {
  const name = serviceAccountOf(pod.value);
  const given = environmentOf(pod.value, 'AWS_ROLE_ARN');
  const account = view
    .everywhere('kube/ServiceAccount')
    .find(({ value }) => value.name === name && value.namespace === pod.value.namespace);
  const annotated = account?.value.annotations[ROLE_ANNOTATION] ?? null;
  const asked = accountIn(given ?? annotated);
  if (asked === null) return ofMachine(view, pod);
  const words =
    given !== null
      ? `Pod ${podName(pod.value)} AWS_ROLE_ARN ${given}`
      : `ServiceAccount ${pod.value.namespace ?? ''}/${name} ${ROLE_ANNOTATION} ${annotated ?? ''}`;
  const fact = given !== null || account === undefined ? pod : account;
  return { at: asked, controller: name, proof: view.quote(fact, words) };
}

/** Without a role of its own it works with the profile of the machine that it runs on. */
function ofMachine(view: Own, pod: Seen<Pod>): Place | null {
  const place = placeOf(pod);
  const machine = view
    .everywhere('aws/instance')
    .find(({ value }) => place !== null && value.PrivateDnsName === place);
  const arn = machine?.value.IamInstanceProfile?.Arn ?? null;
  const account = accountIn(arn);
  if (machine === undefined || account === null) return null;
  const id = machine.value.InstanceId ?? '';
  const words = `${podName(pod.value)} runs on ${id} with the profile ${arn ?? ''}`;
  return { at: account, controller: controllerName(pod), proof: view.quote(machine, words) };
}

function ofLog(view: Own): Place | null {
  const said = view.sign('assumedRole') ?? view.clusterSign('assumedRole');
  const account = said?.last.captures['account'];
  if (said === null || account === undefined) return null;
  return { at: account, controller: 'cloud-controller-manager', proof: said.last };
}

function regionAsked(view: Own, pod: Seen<Pod> | null): Place | null {
  const zone = cloudConfig(view, 'zone');
  const zoned = REGION.exec(zone?.value ?? '')?.[0];
  if (zone !== null && zoned !== undefined) {
    const words = `ConfigMap kube-system/${zone.name} Zone ${zone.value}`;
    return { at: zoned, controller: zone.name, proof: view.quote(zone.fact, words) };
  }
  const given = pod === null ? null : environmentOf(pod.value, 'AWS_REGION');
  if (pod === null || given === null || !REGION.test(given)) return null;
  const words = `Pod ${podName(pod.value)} AWS_REGION ${given}`;
  return { at: given, controller: controllerName(pod), proof: view.quote(pod, words) };
}
