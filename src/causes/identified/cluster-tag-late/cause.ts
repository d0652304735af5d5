import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import { isAfter } from '../../../evidence/time.ts';

/** The kubelet started before the instance got the cluster tag it carries now. */
const cause = defineCause({
  id: 'cluster-tag-late',
  stage: 'identified',
  title: 'the cluster tag was put on the instance after the kubelet had started',
  scope: 'machine',
  signs: {
    startedWithoutTag: context(
      ['kubelet'],
      /AWS cloud - no (?:clusterID filtering applied for shared resources|tag filtering)/,
    ),
    startedWithTag: context(['kubelet'], /AWS cloud filtering on ClusterID: (?<cluster>\S{1,100})/),
    tagNotFound: context(
      ['kubelet', 'controller-manager', 'client-output', 'unknown'],
      /Tag "?KubernetesCluster"? nor "?kubernetes\.io\/cluster\/\S{1,63}"? not found/,
      { anchors: ['KubernetesCluster'] },
    ),
    toldRestart: context(
      ['client-output', 'unknown'],
      /\b[Rr]estart(?:s|ed|ing)?\b.{0,30}\bkubelet\b.{0,60}\b(?:fix(?:es|ed)?|helps?|helped|solves?|solved|works?|worked|registers?|registered|joins?|joined)\b/,
      { isTold: true, anchors: ['estart'] },
    ),
    toldDelay: likely(
      ['client-output', 'unknown'],
      /\b(?:delay(?:ed|s)?|late|later|time)\b.{0,30}\b(?:until|before|at|with|when|in|between)\b.{0,30} tags .{0,40}\b(?:applied|set|visible|available|added|attached)\b/,
      { isTold: true, anchors: [' tags '] },
    ),
    toldLate: likely(
      ['client-output', 'unknown'],
      /\btags?\b.{0,40}\b(?:comes?|came|arrives?|arrived|are set|is set|appears?|after)\b.{0,40}\b(?:late|later|delay|too late)\b.{0,400}\b(?:removed|deleted|not present|lacks? (?:the )?tags?)\b|\b(?:removed|deleted)\b.{0,80}\b(?:since|because|as) (?:it|they) (?:lacks?|has no|have no|had no|did not have|didn't have) (?:the )?(?:cluster )?tags?\b/,
      { isTold: true, anchors: [' late', ' delay', 'removed', 'deleted'] },
    ),
  },
  needs: ['aws/instance'],
  symptoms: [],
  explains: ['untagged-instance-filtered-out', 'instance-not-found-by-kubelet'],
  blocksAbove: false,
  summary: ({ machine, key }) =>
    `The kubelet of ${machine ?? 'the machine'} started before the instance had its tag ${key ?? 'of the cluster'}, and works without knowing its cluster until it is restarted.`,
  remedy: () => [
    step(
      'Restart the kubelet, which reads the tag at start only.',
      'sudo systemctl restart kubelet',
    ),
    step(
      'Tag at launch: tags of the Auto Scaling group that propagate, or of the launch template and spot request.',
      'aws autoscaling create-or-update-tags --tags ResourceId=<group>,ResourceType=auto-scaling-group,Key=kubernetes.io/cluster/<cluster>,Value=owned,PropagateAtLaunch=true',
    ),
  ],
  decide: step(
    'See whether the instance has the tag now.',
    'aws ec2 describe-tags --filters Name=resource-id,Values=<instance>',
  ),
  page: {
    why: 'Spot requests and scripts put tags on an instance some seconds after it runs. The in-tree provider reads them once and continues without a cluster id, so it no longer tells its resources from others.',
    prevent: 'Tag specifications in the launch template instead of tagging afterwards.',
    notThis:
      'Without the tag even now, or with a process that exits over it, it is cluster-tag-missing-or-contradictory; a Node deleted in that window is untagged-instance-filtered-out.',
    refs: ['https://github.com/kubernetes/kubernetes/issues/57382'],
  },
});

/** A kubelet that found no tag at its start, and finds it when it starts again. */
function matchRestart(view: ViewOf<typeof cause>): Match | null {
  const [missing, helped] = [view.sign('tagNotFound'), view.sign('toldRestart')];
  if (missing === null || helped === null) return null;
  return found({}, [missing.last, helped.last], 'likely');
}

export default matched(cause, (view) => {
  const started = view.sign('startedWithoutTag');
  if (started === null) return matchRestart(view);
  const later = view.sign('startedWithTag');
  if (later !== null && isAfter(later.last.moment, started.last.moment))
    return found(later.last.captures, [started.last, later.last], 'likely');
  const [instance, ...others] = view.list('aws/instance');
  if (instance === undefined || others.length > 0) {
    return cannotSay({
      reason: 'not-collected',
      detail: 'whether the instance has the cluster tag now',
      collect: 'aws ec2 describe-tags --filters Name=resource-id,Values=<instance>',
    });
  }
  const key = (instance.value.Tags ?? [])
    .map((tag) => tag.Key ?? '')
    .find((name) => name.startsWith('kubernetes.io/cluster/') || name === 'KubernetesCluster');
  return key === undefined
    ? clear
    : found({ key }, [started.first, view.quote(instance, `instance tag ${key}`)]);
});
