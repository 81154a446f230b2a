import { createPathAction, createResourceAction } from '@keelson/apimachinery'
import type { RequestedAction } from '@keelson/apimachinery'
import { expect, test } from 'vitest'
import { authorizeNode } from './node-authorizer.ts'
import { formatKey, NodeGraph } from './node-graph.ts'
import { RuleIndex } from '../rbac/rule-index.ts'
import { listPodReferences } from './object-references.ts'

const pod = {
  metadata: { namespace: 'ns', name: 'p' },
  spec: {
    serviceAccountName: 'runner',
    imagePullSecrets: [{ name: 'pull' }],
    initContainers: [{ name: 'i', env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } }] }],
    containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'config' } }, { secretRef: { name: '' } }] }],
    ephemeralContainers: [{ name: 'd', envFrom: [{ secretRef: { name: 'debug' } }] }],
    volumes: [
      { name: 'v', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { name: 'all', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected' } }] } },
    ],
    resourceClaims: [
      { name: 'gpu', resourceClaimName: 'gpu' },
      { name: 'made', resourceClaimTemplateName: 't' },
      { name: 'pending', resourceClaimTemplateName: 't' },
    ],
  },
  status: {
    resourceClaimStatuses: [{ name: 'made', resourceClaimName: 'p-made-x' }],
    extendedResourceClaimStatus: { resourceClaimName: 'extended', requestMappings: [] },
  },
}
const graph = new NodeGraph()
graph.setPod(formatKey('ns', 'p'), 'n1', listPodReferences(pod))
graph.setVolume('vol', { namespace: 'ns', name: 'data' }, [{ resource: 'secrets', namespace: 'csi', name: 'mount' }])
graph.setNode('volumeattachments', 'att', 'n1')
graph.setNode('resourceslices', 'slice', 'n1')

const policy = {
  graph,
  rules: new RuleIndex([
    { apiGroups: [''], resources: ['services', 'nodes', 'secrets'], verbs: ['list', 'delete'] },
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['patch'] },
  ]),
}

const createNodeUser = (node: string) => ({ name: `system:node:${node}`, groups: ['system:nodes'] })
const decide = (action: RequestedAction, node = 'n1') => authorizeNode(policy, { user: createNodeUser(node), action })

/** Parses an action such as "get secrets/a in ns", "create coordination.k8s.io:leases" or "update :nodes/n1/status". */
function parseAction(text: string): RequestedAction {
  const [verb, object, , namespace = ''] = text.split(' ') as [string, string, string?, string?]
  const [group, path] = object.includes(':') ? (object.split(':') as [string, string]) : ['', object]
  const [resource, name = '', subresource = ''] = path.split('/') as [string, string?, string?]
  const fieldSelector = namespace.startsWith('spec.nodeName=')
    ? [{ field: 'spec.nodeName', operator: '=' as const, value: namespace.slice('spec.nodeName='.length) }]
    : undefined
  return createResourceAction({
    verb,
    apiGroup: group,
    resource,
    name,
    subresource,
    ...(fieldSelector === undefined ? { namespace } : { fieldSelector }),
  })
}

test.each([
  ...['pull', 'env', 'debug', 'projected'].map((name) => `get secrets/${name} in ns`),
  'watch secrets/env in ns',
  'list configmaps/config in ns',
  'get configmaps/projected in ns',
  'get secrets/mount in csi',
  'get persistentvolumeclaims/data in ns',
  'get persistentvolumeclaims/p-scratch in ns',
  'patch persistentvolumeclaims/data/status in ns',
  'get persistentvolumes/vol',
  'get resource.k8s.io:resourceclaims/gpu in ns',
  'get resource.k8s.io:resourceclaims/p-made-x in ns',
  'get resource.k8s.io:resourceclaims/extended in ns',
  'get storage.k8s.io:volumeattachments/att',
  'get serviceaccounts/runner in ns',
  'create serviceaccounts/runner/token in ns',
  'create coordination.k8s.io:leases in kube-node-lease',
  'update coordination.k8s.io:leases/n1 in kube-node-lease',
  'delete storage.k8s.io:csinodes/n1',
  'create resource.k8s.io:resourceslices',
  'update resource.k8s.io:resourceslices/slice',
  'deletecollection resource.k8s.io:resourceslices with spec.nodeName=n1',
  'get nodes/n1',
  'update nodes/n2',
  'patch nodes/n2/status',
  'get pods/p in ns',
  'watch pods/p in ns',
  'list pods with spec.nodeName=n1',
  'create pods in ns',
  'create pods/p/eviction in ns',
  'list services',
  'create authentication.k8s.io:tokenreviews',
  'patch events.k8s.io:events/e in ns',
])('a node may %s', (text) => {
  expect(decide(parseAction(text))).toEqual({ decision: 'allow', reason: '' })
})

const unrelated = "no relationship found between node 'n1' and this object"
test.each([
  ['get secrets/other in ns', unrelated],
  ['get secrets in ns', 'No Object name found'],
  ['get secrets/env', 'can only read namespaced object of this type'],
  ['update secrets/env in ns', 'can only read resources of this type'],
  ['get secrets/env/x in ns', 'cannot read subresource'],
  ['list persistentvolumeclaims in ns', 'can only get individual resources of this type'],
  ['get persistentvolumeclaims/data/x in ns', 'cannot get subresource'],
  ['get persistentvolumeclaims/data/status in ns', 'can only get/update/patch this type'],
  ['get persistentvolumes/other', unrelated],
  ['get serviceaccounts/other in ns', unrelated],
  ['list serviceaccounts in ns', 'can only create tokens for individual service accounts'],
  ['create serviceaccounts/runner in ns', 'can only create token subresource of serviceaccount'],
  ['list coordination.k8s.io:leases in kube-node-lease', 'can only get, create, update, patch, or delete a node lease'],
  ['get coordination.k8s.io:leases/n1 in ns', 'can only access leases in the "kube-node-lease" system namespace'],
  ['get coordination.k8s.io:leases/n2 in kube-node-lease', 'can only access node lease with the same name as the requesting node'],
  ['list storage.k8s.io:csinodes', 'can only get, create, update, patch, or delete a CSINode'],
  ['get storage.k8s.io:csinodes/n2', 'can only access CSINode with the same name as the requesting node'],
  ['get storage.k8s.io:csinodes/n1/x', 'cannot authorize CSINode subresources'],
  ['get resource.k8s.io:resourceslices/other', unrelated],
  ['list resource.k8s.io:resourceslices', 'can only list/watch/deletecollection resourceslices with nodeName field selector'],
  [
    'escalate resource.k8s.io:resourceslices/slice',
    'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
  ],
  ['get nodes/n2', "node 'n1' cannot read 'n2', only its own Node object"],
  ['list nodes', "node 'n1' cannot read all nodes, only its own Node object"],
  ['delete nodes/n1', ''],
  ['list pods with spec.nodeName=n2', 'can only list/watch pods with spec.nodeName field selector'],
  ['get pods/other in ns', unrelated],
  ['update pods/p in ns', ''],
  ['get pods/p/log in ns', ''],
  ['create pods/p/binding in ns', ''],
  ['get certificates.k8s.io:podcertificaterequests/c in ns', ''],
  ['list apps:deployments', ''],
  ['get namespaces/ns', ''],
])('a node may not %s', (text, reason) => {
  expect(decide(parseAction(text))).toEqual({ decision: 'noOpinion', reason })
})

test('does not relate the objects named by a mirror pod to its node', () => {
  const mirror = { ...pod, metadata: { ...pod.metadata, annotations: { 'kubernetes.io/config.mirror': '' } } }
  expect(listPodReferences(mirror)).toEqual([])
})

test('has no opinion about users that are not nodes', () => {
  const action = parseAction('get secrets/env in ns')
  expect(authorizeNode(policy, { user: { name: 'system:node:n1', groups: [] }, action })).toEqual({ decision: 'noOpinion', reason: '' })
  expect(authorizeNode(policy, { user: { name: 'alice', groups: ['system:nodes'] }, action })).toEqual({
    decision: 'noOpinion',
    reason: '',
  })
  expect(decide(action, '')).toEqual({ decision: 'noOpinion', reason: 'unknown node for user "system:node:"' })
  expect(decide(action, 'n2')).toMatchObject({ reason: "no relationship found between node 'n2' and this object" })
  expect(decide(createPathAction('get', '/api'))).toEqual({ decision: 'noOpinion', reason: '' })
})
