import type { StructDeclarations } from '../declarations/structs.ts'

const groupVersionKind = { group: 'string', version: 'string', kind: 'string' }
const groupVersionResource = { group: 'string', version: 'string', resource: 'string' }

/** The type of the variable `request`. The object and the old object are separate variables. */
export const requestTypes: StructDeclarations = {
  'kubernetes.GroupVersionKind': groupVersionKind,
  'kubernetes.GroupVersionResource': groupVersionResource,
  'kubernetes.UserInfo': { username: 'string', uid: 'string', groups: 'list<string>', extra: 'map<string, list<string>>' },
  'kubernetes.AdmissionRequest': {
    kind: 'kubernetes.GroupVersionKind',
    resource: 'kubernetes.GroupVersionResource',
    subResource: 'string',
    requestKind: 'kubernetes.GroupVersionKind',
    requestResource: 'kubernetes.GroupVersionResource',
    requestSubResource: 'string',
    name: 'string',
    namespace: 'string',
    operation: 'string',
    userInfo: 'kubernetes.UserInfo',
    dryRun: 'bool',
    options: 'dyn',
  },
}

/** The type of the variable `namespaceObject`. */
export const namespaceTypes: StructDeclarations = {
  'kubernetes.NamespaceSpec': { finalizers: 'list<string>' },
  'kubernetes.NamespaceCondition': {
    status: 'string',
    type: 'string',
    lastTransitionTime: 'timestamp',
    message: 'string',
    reason: 'string',
  },
  'kubernetes.NamespaceStatus': { conditions: 'list<kubernetes.NamespaceCondition>', phase: 'string' },
  'kubernetes.NamespaceMetadata': {
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    labels: 'map<string, string>',
    annotations: 'map<string, string>',
    UID: 'string',
    creationTimestamp: 'timestamp',
    deletionGracePeriodSeconds: 'int',
    deletionTimestamp: 'timestamp',
    generation: 'int',
    resourceVersion: 'string',
    finalizers: 'list<string>',
  },
  'kubernetes.Namespace': {
    metadata: 'kubernetes.NamespaceMetadata',
    spec: 'kubernetes.NamespaceSpec',
    status: 'kubernetes.NamespaceStatus',
  },
}
