import { buildGoDirectory } from '../real-parts/build-go-directory.ts'
import type { ExtensionServer } from './extension-process.ts'

const namespace = 'kube-system'

/** Compiles `sigs.k8s.io/metrics-server`, which serves the usage of nodes and pods. */
export function buildMetricsServer(): Promise<string | undefined> {
  return buildGoDirectory({
    subject: 'sigs.k8s.io/metrics-server',
    name: 'metrics-server',
    package: 'sigs.k8s.io/metrics-server/cmd/metrics-server',
    url: new URL('metrics-server/', import.meta.url),
  })
}

/** metrics-server with the permissions of its published manifests. It reads the kubelets as often as it can. */
export const metricsServer: ExtensionServer = {
  account: { namespace, name: 'metrics-server' },
  service: 'metrics-server',
  permissions: `
apiVersion: v1
kind: ServiceAccount
metadata: { name: metrics-server, namespace: ${namespace} }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: system:aggregated-metrics-reader
  labels:
    rbac.authorization.k8s.io/aggregate-to-admin: 'true'
    rbac.authorization.k8s.io/aggregate-to-edit: 'true'
    rbac.authorization.k8s.io/aggregate-to-view: 'true'
rules: [{ apiGroups: [metrics.k8s.io], resources: [pods, nodes], verbs: [get, list, watch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: system:metrics-server }
rules:
  - { apiGroups: [''], resources: [nodes/metrics], verbs: [get] }
  - { apiGroups: [''], resources: [pods, nodes], verbs: [get, list, watch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: metrics-server-auth-reader, namespace: ${namespace} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader }
subjects: [{ kind: ServiceAccount, name: metrics-server, namespace: ${namespace} }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: 'metrics-server:system:auth-delegator' }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:auth-delegator }
subjects: [{ kind: ServiceAccount, name: metrics-server, namespace: ${namespace} }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: system:metrics-server }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:metrics-server }
subjects: [{ kind: ServiceAccount, name: metrics-server, namespace: ${namespace} }]
`,
  flags: [
    '--kubelet-insecure-tls',
    '--kubelet-preferred-address-types=InternalIP',
    '--kubelet-use-node-status-port',
    '--metric-resolution=10s',
    '--kubelet-request-timeout=5s',
  ],
  createRegistration: (port, certificate) => `
apiVersion: v1
kind: Service
metadata: { name: metrics-server, namespace: ${namespace} }
spec: { type: ExternalName, externalName: localhost }
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1beta1.metrics.k8s.io }
spec:
  group: metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  caBundle: ${Buffer.from(certificate).toString('base64')}
  service: { namespace: ${namespace}, name: metrics-server, port: ${port} }
`,
}
