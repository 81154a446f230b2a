import type { ServedResource } from '@keelson/tooling-e2e/served-resources'
import { findSubjects } from './cases/subjects.ts'
import type { Subject } from './cases/subjects.ts'

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

/** Resources for tests that need no server. */
const resources: readonly ServedResource[] = [
  { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true, verbs, subresources: [] },
  { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false, verbs, subresources: ['status', 'proxy'] },
  {
    group: '',
    version: 'v1',
    kind: 'Pod',
    plural: 'pods',
    namespaced: true,
    verbs,
    subresources: ['status', 'binding', 'eviction', 'log'],
  },
  { group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', namespaced: true, verbs, subresources: ['status'] },
  { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true, verbs, subresources: ['scale', 'status'] },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    namespaced: false,
    verbs,
    subresources: [],
  },
]

export const testSubjects: readonly Subject[] = await findSubjects(resources)
