import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';

/** The image was made from a machine that had joined and still carries its identity. */
const cause = defineCause({
  id: 'ami-baked-from-joined-node',
  stage: 'bootstrapped',
  title: 'the image was made from a machine that had already joined',
  scope: 'machine',
  signs: {
    filesThere: context(
      ['kubeadm', 'cloud-init', 'console'],
      /\[ERROR FileAvailable--etc-kubernetes-(?<file>kubelet\.conf|pki-ca\.crt)\]/,
    ),
    previousInstance: context(
      ['cloud-init', 'journal'],
      /previous iid found to be (?<previous>i-[0-9a-f]{8,17})\b/,
      { anchors: ['previous iid found to be i-'] },
    ),
    thisInstance: context(
      ['cloud-init', 'journal'],
      /\/var\/lib\/cloud\/instances\/(?<current>i-[0-9a-f]{8,17})\b/,
      { anchors: ['/var/lib/cloud/instances/i-'] },
    ),
    servesOtherName: context(
      ['pod-app', 'client-output', 'event', 'kube-apiserver', 'journal', 'object', 'kubelet'],
      /:10250\b.{0,200}?x509: certificate is valid for (?<other>ip-\d+-\d+-\d+-\d+)\b[^,"]{0,80}, not (?<one>ip-\d+-\d+-\d+-\d+)\b(?:.*:10250\b.*?x509: certificate is valid for (?<other2>ip-\d+-\d+-\d+-\d+)\b[^,"]{0,80}, not (?<two>ip-\d+-\d+-\d+-\d+)\b)?/,
      { anchors: ['x509: certificate is valid for ip-'] },
    ),
  },
  needs: [],
  symptoms: [],
  explains: [
    'kubeadm-preflight-failed',
    'kubelet-without-kubeconfig',
    'failed-user-script',
    'serving-certificate-without-address',
  ],
  summary: ({ machine, previous, other, one, two }) =>
    other !== undefined
      ? `The kubelets of ${one ?? 'one machine'} and ${two ?? 'another'} both serve the certificate of ${other}: their image was made from that machine after its kubelet had run.`
      : `The image of ${machine ?? 'the machine'} was made from ${previous ?? 'a machine'} after it had joined; /etc/kubernetes is already there, so this machine does not join.`,
  remedy: () => [
    step(
      'On this machine remove what the image carried, then join again.',
      'sudo kubeadm reset -f && sudo rm -rf /etc/kubernetes /var/lib/kubelet/pki /var/lib/kubelet/kubeconfig /var/lib/cni /run/aws-node',
    ),
    step(
      'Do the same before every image is made.',
      'sudo kubeadm reset -f && sudo cloud-init clean --logs --machine-id && sudo rm -rf /var/lib/kubelet/pki /etc/kubernetes /var/lib/cni',
    ),
  ],
  decide: step(
    'Compare the files’ age with the boot time.',
    'sudo ls -l --time-style=full-iso /etc/kubernetes /var/lib/kubelet/pki; sudo grep -h "previous iid" /var/log/cloud-init.log; uptime -s',
  ),
  page: {
    why: 'An image of a running node contains its certificates, kubeconfig and network state. Every machine from it starts as that node: kubeadm refuses to join over the files, or the kubelet uses a certificate of another machine.',
    prevent:
      'Make images from machines that never joined, or reset them first; boot-test each image.',
    notThis:
      'A second kubeadm join on the same machine meets the same files (kubeadm-preflight-failed). That cloud-init knows another previous instance is usual for custom AMIs and harms nothing by itself.',
    refs: ['https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html'],
  },
});

export default matched(cause, matchLeftovers);

type Own = ViewOf<typeof cause>;

/** No two machines are given one certificate: both took it with their image. */
function matchCertificate(view: Own): Match | null {
  const quotes = view.sign('servesOtherName')?.quotes ?? [];
  const served = quotes.flatMap((quote) => [
    { quote, other: quote.captures['other'], one: quote.captures['one'] },
    {
      quote,
      other: quote.captures['other2'] ?? quote.captures['other'],
      one: quote.captures['two'],
    },
  ]);
  const [first] = served;
  if (first?.other === undefined || first.one === undefined) return null;
  const { other, one } = first;
  const second = served.find(
    (seen) => seen.other === other && seen.one !== undefined && seen.one !== one,
  );
  if (second?.one === undefined) return null;
  return found({ other, one, two: second.one }, [first.quote, second.quote], 'likely');
}

/** The files were there at first boot: cloud-init last ran on another instance than this one. */
function matchLeftovers(view: Own): Match | null {
  const shared = matchCertificate(view);
  if (shared !== null) return shared;
  const files = view.sign('filesThere');
  const before = view.sign('previousInstance');
  const now = view.sign('thisInstance');
  if (files === null || before === null || now === null) return null;
  const previous = before.last.captures['previous'];
  const current = view.instanceId ?? now.last.captures['current'];
  if (previous === current) return null;
  return found(
    { ...files.first.captures, ...before.last.captures },
    [files.first, before.last],
    'likely',
  );
}
