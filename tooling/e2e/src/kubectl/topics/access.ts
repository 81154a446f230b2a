import { matchLines, matchTable } from '../expected.ts'
import type { Topic } from '../topic.ts'

const formatForbidden = (subject: string): string => `Error from server (Forbidden): ${subject}`

export const access: Topic = {
  'auth whoami and can-i': [
    ['auth whoami', matchLines('ATTRIBUTE VALUE', 'Username kubernetes-admin', 'Groups [system:masters system:authenticated]')],
    ['auth whoami -o jsonpath={.status.userInfo.username}', 'kubernetes-admin'],
    ['auth can-i get pods', 'yes'],
    [
      'auth can-i --list',
      matchLines(
        'Resources Non-Resource URLs Resource Names Verbs',
        '*.* [] [] [*]',
        '[*] [] [*]',
        'selfsubjectreviews.authentication.k8s.io [] [] [create]',
        'selfsubjectaccessreviews.authorization.k8s.io [] [] [create]',
        '[/api/*] [] [get]',
        '[/healthz] [] [get]',
        '[/version] [] [get]',
      ),
    ],
    ["auth can-i '*' '*' --all-namespaces", 'yes'],
    ['auth can-i create deployments --subresource=scale', 'yes'],
    ['auth can-i get /logs', 'yes'],
    ['auth can-i get nopes', { stdout: 'yes', stderr: /the server doesn't have a resource type 'nopes'/ }],
  ],
  'a user without permissions': [
    [
      'get cm --as=alice --as-group=dev -n default',
      {
        code: 1,
        stderr: formatForbidden(
          'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "default"',
        ),
      },
    ],
    [
      'delete node n --as=alice',
      {
        code: 1,
        stderr: formatForbidden('nodes "n" is forbidden: User "alice" cannot delete resource "nodes" in API group "" at the cluster scope'),
      },
    ],
    [
      'create configmap c --as=alice -n default',
      {
        code: 1,
        stderr:
          'error: failed to create configmap: configmaps is forbidden: User "alice" cannot create resource "configmaps" in API group "" in the namespace "default"',
      },
    ],
    ['get --raw /metrics --as=alice', { code: 1, stderr: formatForbidden('forbidden: User "alice" cannot get path "/metrics"') }],
  ],
  'a user with roles': async (session) => {
    const name = `kubectl-${session.namespace}`
    await session.play(
      ['create role readers --verb=get,list --resource=configmaps,pods/log', 'role.rbac.authorization.k8s.io/readers created'],
      ['create rolebinding readers --role=readers --user=rita --group=book-club', 'rolebinding.rbac.authorization.k8s.io/readers created'],
      [
        `create rolebinding viewers --clusterrole=${name} --serviceaccount=${session.namespace}:bot`,
        'rolebinding.rbac.authorization.k8s.io/viewers created',
      ],
      ['auth can-i list configmaps --as=rita', 'yes'],
      ['auth can-i get pods --subresource=log --as=x --as-group=book-club', 'yes'],
      ['auth can-i delete configmaps --as=rita', { code: 1, stdout: 'no' }],
      ['auth can-i list configmaps --as=rita -n default', { code: 1, stdout: 'no' }],
      [
        `auth can-i get pods --as=system:serviceaccount:${session.namespace}:bot`,
        { code: 1, stdout: `no - RBAC: clusterrole.rbac.authorization.k8s.io "${name}" not found` },
      ],
      [`create clusterrole ${name} --verb=get --resource=pods`, `clusterrole.rbac.authorization.k8s.io/${name} created`],
      [`auth can-i get pods --as=system:serviceaccount:${session.namespace}:bot`, 'yes'],
      ['get configmap nope --as=rita', { code: 1, stderr: 'Error from server (NotFound): configmaps "nope" not found' }],
      [
        'create role more --verb=get --resource=secrets --as=rita',
        {
          code: 1,
          stderr: formatForbidden(
            `roles.rbac.authorization.k8s.io is forbidden: User "rita" cannot create resource "roles" in API group "rbac.authorization.k8s.io" in the namespace "${session.namespace}"`,
          ),
        },
      ],
    )
  },
  'reconciles roles': async (session) => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'r', namespace: session.namespace } }
    const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] }
    await session.play(
      [
        'auth reconcile -f -',
        { stdout: 'role.rbac.authorization.k8s.io/r reconciled', stderr: /missing rules added:\n\t\t\{Verbs:\[\w+\] / },
        JSON.stringify({ ...role, rules: [rule] }),
      ],
      [
        'auth reconcile -f -',
        { stdout: 'role.rbac.authorization.k8s.io/r reconciled', stderr: /missing rules added:\n\t\t\{Verbs:\[\w+\] / },
        JSON.stringify({ ...role, rules: [{ ...rule, verbs: ['list'] }] }),
      ],
      ['get role r -o jsonpath={.rules[*].verbs}', '["get"] ["list"]'],
    )
  },
  'approves and denies certificates': async (session) => {
    const request = Buffer.from(certificateRequest).toString('base64')
    const name = session.namespace
    const formatCsr = (suffix: string): string =>
      JSON.stringify({
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: name + suffix },
        spec: { request, signerName: 'example.com/x', usages: ['client auth'] },
      })
    const kind = 'certificatesigningrequest.certificates.k8s.io'
    await session.play(
      ['create -f -', `${kind}/${name} created`, formatCsr('')],
      ['create -f -', `${kind}/${name}-b created`, formatCsr('-b')],
      [
        `get csr ${name}`,
        matchTable('NAME AGE SIGNERNAME REQUESTOR REQUESTEDDURATION CONDITION', `${name} * example.com/x kubernetes-admin <none> Pending`),
      ],
      [
        `describe csr ${name}`,
        matchLines('Requesting User: kubernetes-admin', 'Signer: example.com/x', 'Status: Pending', 'Common Name: someone'),
      ],
      [`certificate approve ${name}`, `${kind}/${name} approved`],
      [`certificate deny ${name}`, { code: 1, stderr: `error: certificate signing request "${name}" is already Approved` }],
      [`certificate deny ${name}-b`, `${kind}/${name}-b denied`],
      [`get csr ${name} ${name}-b -o jsonpath={.items[*].status.conditions[*].type}`, 'Approved Denied'],
      [
        'certificate approve nope',
        { code: 1, stderr: 'Error from server (NotFound): certificatesigningrequests.certificates.k8s.io "nope" not found' },
      ],
    )
  },
}

/** PKCS #10 certificate request for CN=someone. Its private key is not needed. */
const certificateRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHMMHQCAQAwEjEQMA4GA1UEAwwHc29tZW9uZTBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABKrp7kF6Ww/SFIju/Sflue3rKKcpgbjuaN6RBu6L4Fv71HohJ/7YikjY
jDyYitcMNOp7oKzLTd5htEptns8ajl+gADAKBggqhkjOPQQDAgNIADBFAiEAipGH
dEU/8c1wLpug11Gp39sMMt5Ga/lYmXMRpGulyMwCIG1W6e3xc1mXVwt0IU+gfh6C
bKODRMn7hYEp+T9ybB9G
-----END CERTIFICATE REQUEST-----
`
