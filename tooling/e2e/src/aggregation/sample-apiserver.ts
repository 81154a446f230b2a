import { buildGoDirectory } from '../real-parts/build-go-directory.ts'
import type { ExtensionServer } from './extension-process.ts'

/** Namespace of the service and the service account of sample-apiserver. */
const namespace = 'wardle'

/** Compiles `k8s.io/sample-apiserver`, Kubernetes' example of an extension API server. */
export function buildSampleApiserver(): Promise<string | undefined> {
  return buildGoDirectory({
    subject: 'k8s.io/sample-apiserver',
    name: 'sample-apiserver',
    package: 'k8s.io/sample-apiserver',
    url: new URL('sample-apiserver/', import.meta.url),
  })
}

/** sample-apiserver on its own etcd. */
export function createSampleApiserver(etcdUrl: string): ExtensionServer {
  return {
    account: { namespace, name: 'apiserver' },
    service: 'api',
    permissions,
    flags: [`--etcd-servers=${etcdUrl}`],
    createRegistration,
  }
}

const permissions = `
apiVersion: v1
kind: Namespace
metadata: { name: ${namespace} }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: apiserver, namespace: ${namespace} }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: wardle-auth-delegator }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:auth-delegator }
subjects: [{ kind: ServiceAccount, name: apiserver, namespace: ${namespace} }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: wardle-auth-reader, namespace: kube-system }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader }
subjects: [{ kind: ServiceAccount, name: apiserver, namespace: ${namespace} }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: wardle-apiserver }
rules:
  - { apiGroups: [''], resources: [namespaces], verbs: [get, list, watch] }
  - apiGroups: [admissionregistration.k8s.io]
    resources:
      - mutatingwebhookconfigurations
      - validatingwebhookconfigurations
      - mutatingadmissionpolicies
      - mutatingadmissionpolicybindings
      - validatingadmissionpolicies
      - validatingadmissionpolicybindings
    verbs: [get, list, watch]
  - { apiGroups: [flowcontrol.apiserver.k8s.io], resources: [prioritylevelconfigurations, flowschemas], verbs: [list, watch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: wardle-apiserver }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: wardle-apiserver }
subjects: [{ kind: ServiceAccount, name: apiserver, namespace: ${namespace} }]
`

function createRegistration(port: number, certificate: string): string {
  const createApiService = (version: string, versionPriority: number): string => `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: ${version}.wardle.example.com }
spec:
  group: wardle.example.com
  version: ${version}
  groupPriorityMinimum: 1000
  versionPriority: ${versionPriority}
  caBundle: ${Buffer.from(certificate).toString('base64')}
  service: { namespace: ${namespace}, name: api, port: ${port} }
`
  return `
apiVersion: v1
kind: Service
metadata: { name: api, namespace: ${namespace} }
spec: { type: ExternalName, externalName: localhost }
---${createApiService('v1beta1', 20)}---${createApiService('v1alpha1', 10)}`
}
