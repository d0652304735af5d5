import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** A kubelet shows a certificate that this cluster’s CA did not sign. */
const cause = defineCause({
  id: 'client-certificate-of-foreign-ca',
  stage: 'authenticated',
  title: 'a kubelet presents a client certificate of another CA',
  scope: 'cluster',
  signs: {
    unknownAuthority: likely(
      ['kube-apiserver'],
      /Unable to authenticate the request.*(?:verifying certificate SN=(?<serial>\d+).*)?x509: certificate signed by unknown authority/,
      {
        anchors: ['Unable to authenticate the request'],
        strict: true,
        atLeast: 5,
        enoughOnce: 'alone',
      },
    ),
    unknownAuthorityOnce: context(
      ['kube-apiserver'],
      /Unable to authenticate the request.*verifying certificate SN=(?<serial>\d+).*x509: certificate signed by unknown authority/,
      { anchors: ['Unable to authenticate the request'], isBackground: true },
    ),
    refused: context(
      ['kubelet'],
      /(?:register node|[Ff]ailed to (?:list|watch|ensure)).*\bUnauthorized\b/,
    ),
    toldReplaced: context(
      ['client-output', 'unknown', 'kubeadm'],
      /\bkubeadm (?:alpha |init )?phase certs (?:all|ca)\b|\b(?:[Rr]e(?:created|generated|placed|newed|made|built)|[Rr]otated|[Dd]eleted|[Rr]emoved) (?:\w+ ){0,3}(?:the |cluster |kubernetes |root )CA\b|\b[Nn]ew CA\b|\b(?:[Dd]eleted|[Rr]emoved) (?:\w+ ){0,3}(?:in )?\/etc\/kubernetes\/pki\b/,
      {
        isTold: true,
        anchors: [
          'phase certs ',
          'the CA',
          'cluster CA',
          'kubernetes CA',
          'root CA',
          'new CA',
          'New CA',
          '/etc/kubernetes/pki',
        ],
      },
    ),
    toldRefused: context(
      ['client-output', 'unknown'],
      /^(?![IWEF]\d{4} |.*\berr=).*\b(?:[Kk]ubelets?|[Ww]orkers?|[Nn]odes?)\b.{0,160}\bUnauthorized\b/,
      { isTold: true },
    ),
  },
  needs: [],
  symptoms: [],
  summary: ({ serial }) =>
    sentence`A client shows a certificate${phrase` (serial ${serial})`} that the cluster’s CA did not sign, as kubelets do after a rebuilt cluster or a rotated CA; the API server answers 401 Unauthorized.`,
  remedy: () => [
    step(
      'Join the machine again with the present CA.',
      'sudo kubeadm reset -f && sudo kubeadm join <join-arguments>',
    ),
    step(
      'During a CA rotation, let the API server know both until every kubelet has a new certificate.',
      'cat old-ca.crt new-ca.crt | sudo tee /etc/kubernetes/pki/ca.crt',
    ),
  ],
  decide: step(
    'Check the kubelet’s certificate against the cluster’s CA.',
    'sudo openssl verify -CAfile /etc/kubernetes/pki/ca.crt /var/lib/kubelet/pki/kubelet-client-current.pem',
  ),
  page: {
    why: 'The API server trusts client certificates of its own CA only. Files left from another cluster, or from before a new CA, are good certificates of a stranger.',
    prevent: 'kubeadm reset before a machine changes clusters; rotate with both CAs trusted.',
    notThis:
      'The kubelet only says Unauthorized, as for any refused credential. “x509” in the kubelet’s own log is about the server’s certificate: untrusted-api-certificate.',
    refs: ['https://kubernetes.io/docs/tasks/tls/manual-rotation-of-ca-certificates/'],
  },
});

export default matched(cause, matchReplaced);

/** The CA was made again, and kubelets that nobody touched are refused. */
function matchReplaced(view: ViewOf<typeof cause>): Match | null {
  const [replaced, refused] = [
    view.sign('toldReplaced'),
    view.sign('toldRefused') ?? view.sign('refused'),
  ];
  const once = view.sign('unknownAuthorityOnce') ?? view.clusterSign('unknownAuthorityOnce');
  if (once !== null && refused !== null && !view.isLive)
    return found(once.last.captures, [once.last, refused.first], 'likely');
  if (replaced === null || refused === null) return null;
  return found({}, [replaced.first, refused.first], 'likely');
}
