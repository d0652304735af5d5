import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite } from '../../../diagnosis/sign.ts';

/** The API server reaches the kubelet, which does not know it or does not let it. */
export default defineCause({
  id: 'kubelet-refuses-apiserver-client',
  stage: 'usable',
  title: 'the kubelet refuses the API server (logs and exec are Unauthorized or Forbidden)',
  scope: 'machine',
  signs: {
    unauthorized: definite(
      ['client-output', 'pod-app', 'kube-apiserver', 'event'],
      /the server has asked for the client to provide credentials \( ?pods\/(?:log|exec|attach|portforward)|unable to upgrade connection: Unauthorized/,
    ),
    forbidden: definite(
      ['client-output', 'pod-app', 'kube-apiserver', 'event'],
      /Forbidden[: ] ?\(?user=(?<user>(?!system:serviceaccount:|system:anonymous, verb=get, resource=nodes, subresource=(?:stats|metrics))[\w:.@/-]+), verb=\w+, resource=nodes, subresource(?:\(s\))?=|Authorization error \(user=(?<user2>(?:kube-apiserver|system:kube-apiserver)[\w:.@/-]*), verb=/,
    ),
    notAuthenticated: context(
      ['kubelet'],
      /Unable to authenticate the request due to an error.*x509: (?<why>certificate [\w ]{6,80})/,
      { strict: true },
    ),
    webhookRefused: context(
      ['kubelet'],
      /cannot create resource "(?:tokenreviews|subjectaccessreviews)"/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, machine, user, why }) =>
    user === undefined
      ? `The kubelet of ${node ?? machine ?? 'the node'} does not accept the API server’s client certificate${why === undefined ? '' : ` (${why.trim()})`}, so logs, exec and port-forward are Unauthorized while its pods run.`
      : `The kubelet lets ${user} not use its API, as whom the API server comes, so logs, exec and port-forward are Forbidden while pods run.`,
  remedy: ({ user }) => [
    user === 'system:anonymous'
      ? step(
          'The API server shows no certificate: give it --kubelet-client-certificate and --kubelet-client-key.',
          'grep kubelet-client /etc/kubernetes/manifests/kube-apiserver.yaml',
        )
      : user === undefined
        ? step(
            'Put this cluster’s CA where the kubelet’s clientCAFile points, then restart it.',
            'sudo grep -A4 clientCAFile /var/lib/kubelet/config.yaml && sudo systemctl restart kubelet',
          )
        : step(
            'Bind the role that lets the API server’s user in.',
            `kubectl create clusterrolebinding apiserver-kubelet-api-admin --clusterrole=system:kubelet-api-admin --user=${user}`,
          ),
    step(
      'Renew the API server’s client certificate on kubeadm control planes when it has expired.',
      'sudo kubeadm certs renew apiserver-kubelet-client',
    ),
  ],
  decide: step(
    'Compare the authority of the API server’s client certificate with the kubelet’s clientCAFile.',
    'sudo openssl x509 -in /etc/kubernetes/pki/apiserver-kubelet-client.crt -noout -issuer -subject -enddate; sudo grep -A2 clientCAFile /var/lib/kubelet/config.yaml',
  ),
  page: {
    why: 'For logs and exec the API server is a client of the kubelet. The kubelet checks its certificate against clientCAFile and asks the cluster whether that user may. A machine with the CA of another cluster, an expired certificate, a missing flag or a missing binding of system:kubelet-api-admin break it.',
    prevent:
      'Renew kubeadm’s certificates with each upgrade, and take the CA from the cluster rather than from the image.',
    notThis:
      '“You must be logged in to the server (Unauthorized)” without ( pods/log … ) is the caller’s own credential. tls: internal error is kubelet-serving-certificate-missing. Forbidden for a service account such as metrics-server’s is that account’s missing role. A refusal of the kubelet by the API server is about joining: node-role-not-in-aws-auth and its neighbors.',
    alsoKnownAs: [
      'the server has asked for the client to provide credentials ( pods/log )',
      'unable to upgrade connection: Forbidden (user=system:anonymous, verb=create, resource=nodes, subresource=proxy)',
    ],
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/63128',
      'https://github.com/kubernetes/kubernetes/issues/79231',
      'https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/',
    ],
  },
});
