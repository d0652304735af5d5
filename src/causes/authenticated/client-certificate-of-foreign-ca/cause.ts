import { defineCause } from '../../../diagnosis/cause.ts';

/** A kubelet shows a certificate that this cluster’s CA did not sign. */
export default defineCause({
  id: 'client-certificate-of-foreign-ca',
  stage: 'authenticated',
  title: 'a kubelet presents a client certificate of another CA',
  scope: 'cluster',
  signs: {
    unknownAuthority: {
      in: ['kube-apiserver'],
      anchors: ['Unable to authenticate the request'],
      pattern:
        /Unable to authenticate the request.*(?:verifying certificate SN=(?<serial>\d+).*)?x509: certificate signed by unknown authority/,
      weight: 'likely',
      strict: true,
      atLeast: 5,
    },
    refused: {
      in: ['kubelet'],
      anchors: ['Unauthorized'],
      pattern: /(?:register node|[Ff]ailed to (?:list|watch|ensure)).*\bUnauthorized\b/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  summary: ({ serial }) =>
    `A client shows a certificate${serial === undefined ? '' : ` (serial ${serial})`} that the cluster’s CA did not sign, as kubelets do after a rebuilt cluster or a rotated CA; the API server answers 401 Unauthorized.`,
  remedy: () => [
    {
      text: 'Join the machine again with the present CA.',
      command: 'sudo kubeadm reset -f && sudo kubeadm join <join arguments>',
    },
    {
      text: 'During a CA rotation, let the API server know both until every kubelet has a new certificate.',
      command: 'cat old-ca.crt new-ca.crt | sudo tee /etc/kubernetes/pki/ca.crt',
    },
  ],
  decide: {
    text: 'Check the kubelet’s certificate against the cluster’s CA.',
    command:
      'sudo openssl verify -CAfile /etc/kubernetes/pki/ca.crt /var/lib/kubelet/pki/kubelet-client-current.pem',
  },
  page: {
    why: 'The API server trusts client certificates of its own CA only. Files left from another cluster, or from before a new CA, are good certificates of a stranger.',
    prevent: 'kubeadm reset before a machine changes clusters; rotate with both CAs trusted.',
    notThis:
      'The kubelet only says Unauthorized, as for any refused credential. “x509” in the kubelet’s own log is about the server’s certificate: untrusted-api-certificate.',
    refs: ['https://kubernetes.io/docs/tasks/tls/manual-rotation-of-ca-certificates/'],
  },
});
