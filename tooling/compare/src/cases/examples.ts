import type { JsonObject } from '@keelson/apimachinery'
import { sampleObject } from '@keelson/tooling-e2e/sample-objects'
import type { ServedResource } from '@keelson/tooling-e2e/served-resources'
import type { Random } from './random.ts'
import { createRichContainer, richPodSpec } from './rich-pods.ts'

const labels = { app: 'a' }
const template = { metadata: { labels }, spec: richPodSpec }
const selector = { matchLabels: labels }

/** Additional fields by resource. They are merged into the sample object of the resource, so that mutations have more fields to change. */
const richer: Readonly<Record<string, readonly JsonObject[]>> = {
  '/configmaps': [{ data: { a: 'b', 'app.yaml': 'x: 1\n' }, binaryData: { bin: 'AAEC' }, immutable: false }],
  '/endpoints': [{ subsets: [{ addresses: [{ ip: '10.1.1.1', nodeName: 'n' }], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }] }],
  '/limitranges': [
    {
      spec: {
        limits: [{ type: 'Container', max: { cpu: '2' }, min: { cpu: '10m' }, default: { cpu: '1' }, defaultRequest: { cpu: '100m' } }],
      },
    },
  ],
  '/nodes': [
    {
      spec: {
        podCIDR: '10.244.0.0/24',
        podCIDRs: ['10.244.0.0/24'],
        taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
        unschedulable: true,
      },
    },
  ],
  '/persistentvolumeclaims': [
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        volumeMode: 'Block',
        storageClassName: 'fast',
        selector,
        resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } },
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
      },
    },
  ],
  '/persistentvolumes': [
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'fast',
        mountOptions: ['hard'],
        csi: { driver: 'd.example.com', volumeHandle: 'h' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] } },
        claimRef: { namespace: 'x', name: 'y' },
      },
    },
  ],
  '/pods': [
    { metadata: { labels }, spec: richPodSpec },
    { spec: { ...richPodSpec, initContainers: [createRichContainer('i')], restartPolicy: 'Never', hostNetwork: true } },
  ],
  '/resourcequotas': [
    {
      spec: {
        hard: { pods: '1000', 'requests.cpu': '100' },
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['x'] }] },
      },
    },
  ],
  '/secrets': [
    { type: 'Opaque', stringData: { c: 'd' } },
    { type: 'kubernetes.io/basic-auth', stringData: { username: 'u', password: 'p' } },
  ],
  '/serviceaccounts': [{ automountServiceAccountToken: false, secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'p' }] }],
  '/services': [
    {
      spec: {
        type: 'NodePort',
        selector: labels,
        ports: [
          { name: 'http', port: 80, targetPort: 'http' },
          { name: 'dns', port: 53, protocol: 'UDP' },
        ],
        externalTrafficPolicy: 'Local',
      },
    },
    {
      spec: {
        type: 'LoadBalancer',
        selector: labels,
        ports: [{ port: 443 }],
        sessionAffinity: 'ClientIP',
        loadBalancerSourceRanges: ['10.0.0.0/8'],
      },
    },
    { spec: { type: 'ExternalName', externalName: 'example.com' } },
    { spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }], publishNotReadyAddresses: true } },
  ],
  'apps/daemonsets': [
    { spec: { selector, template, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } } },
  ],
  'apps/deployments': [
    {
      spec: {
        replicas: 2,
        selector,
        template,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
        minReadySeconds: 5,
        progressDeadlineSeconds: 600,
      },
    },
  ],
  'apps/replicasets': [{ spec: { replicas: 1, selector, template } }],
  'apps/statefulsets': [
    {
      spec: {
        replicas: 1,
        serviceName: 's',
        selector,
        template,
        podManagementPolicy: 'Parallel',
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
        volumeClaimTemplates: [
          { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
        ],
      },
    },
  ],
  'autoscaling/horizontalpodautoscalers': [
    {
      spec: {
        minReplicas: 1,
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
        behavior: { scaleDown: { policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }] } },
      },
    },
  ],
  'batch/jobs': [
    {
      spec: {
        completions: 3,
        parallelism: 2,
        completionMode: 'Indexed',
        backoffLimitPerIndex: 1,
        template: { metadata: { labels }, spec: { ...richPodSpec, restartPolicy: 'Never' } },
        podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { containerName: 'a', operator: 'In', values: [1] } }] },
      },
    },
  ],
  'discovery.k8s.io/endpointslices': [
    {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true }, nodeName: 'n', zone: 'z', hints: { forZones: [{ name: 'z' }] } }],
      ports: [{ name: 'http', port: 80, protocol: 'TCP', appProtocol: 'http' }],
    },
  ],
  'networking.k8s.io/ingresses': [
    {
      spec: {
        ingressClassName: 'c',
        tls: [{ hosts: ['a.example.com'], secretName: 't' }],
        rules: [
          {
            host: 'a.example.com',
            http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { name: 'http' } } } }] },
          },
        ],
      },
    },
  ],
  'networking.k8s.io/networkpolicies': [
    {
      spec: {
        podSelector: selector,
        policyTypes: ['Ingress', 'Egress'],
        ingress: [
          {
            from: [{ namespaceSelector: {}, podSelector: selector }, { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
            ports: [{ port: 80, endPort: 90, protocol: 'TCP' }],
          },
        ],
        egress: [{}],
      },
    },
  ],
  'rbac.authorization.k8s.io/roles': [
    { rules: [{ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get'], resourceNames: ['a'] }] },
  ],
  'rbac.authorization.k8s.io/rolebindings': [
    {
      subjects: [
        { kind: 'ServiceAccount', name: 'default', namespace: 'x' },
        { kind: 'User', name: 'u' },
      ],
    },
  ],
  'resource.k8s.io/resourceclaims': [
    {
      spec: {
        devices: {
          requests: [
            {
              name: 'r',
              exactly: { deviceClassName: 'c', allocationMode: 'ExactCount', count: 2, selectors: [{ cel: { expression: 'true' } }] },
            },
          ],
          constraints: [{ requests: ['r'], matchAttribute: 'd.example.com/a' }],
          config: [{ requests: ['r'], opaque: { driver: 'd.example.com', parameters: { a: 1 } } }],
        },
      },
    },
  ],
  'storage.k8s.io/csidrivers': [
    {
      spec: {
        attachRequired: true,
        podInfoOnMount: true,
        fsGroupPolicy: 'File',
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        tokenRequests: [{ audience: 'a' }],
      },
    },
  ],
  'storage.k8s.io/storageclasses': [
    {
      provisioner: 'example.com/disk',
      parameters: { a: 'b' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
      mountOptions: ['hard'],
      allowVolumeExpansion: true,
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
    },
  ],
}

/** Returns a valid object of the resource. Throws if the resource has no sample. */
export function createExample(random: Random, resource: ServedResource, name: string, namespace: string): JsonObject {
  const least = sampleObject({ ...resource, name, ...(resource.namespaced && { namespace }) })
  const extraFields = random.pick([{}, ...(richer[`${resource.group}/${resource.plural}`] ?? [])])
  const metadata = { ...(extraFields['metadata'] as JsonObject | undefined), ...(least['metadata'] as JsonObject) }
  return structuredClone({ ...least, ...extraFields, metadata })
}

export function hasExample(resource: ServedResource): boolean {
  try {
    sampleObject({ ...resource, name: 'a' })
    return true
  } catch {
    return false
  }
}
