import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import type { PodTemplateSpec } from '@keelson/api/core/v1'
import type { KubeObject } from '@keelson/apimachinery'
import type { ResourceDefinition } from '@keelson/registry'
import { describeResource } from '@keelson/registry/testing'
import type { ResourceCases } from '@keelson/registry/testing'
import { describe, expect, it } from 'vitest'
import { core } from './api-groups.ts'
import { configMaps } from './configmaps/index.ts'
import { events } from './events/index.ts'
import { namespaces } from './namespaces/index.ts'
import { limitRanges } from './limitranges/index.ts'
import { nodes } from './nodes/index.ts'
import { resourceQuotas } from './resourcequotas/index.ts'
import { persistentVolumeClaims } from './persistentvolumeclaims/index.ts'
import { persistentVolumes } from './persistentvolumes/index.ts'
import { endpoints } from './endpoints/index.ts'
import { podTemplates } from './podtemplates/index.ts'
import { replicationControllers } from './replicationcontrollers/index.ts'
import { setPodTemplateDefaults } from './pod-spec/pod-spec-defaults.ts'
import { secrets } from './secrets/index.ts'
import { serviceAccounts } from './serviceaccounts/index.ts'
import { services } from './services/index.ts'

const types = createApiTypes([coreV1])
/** Plurals of resources with shared test cases. Pods are tested in pods.test.ts instead. */
const described = new Set(['pods'])
function describeCore<T extends KubeObject>(definition: ResourceDefinition<T>, cases: ResourceCases<T>): void {
  described.add(definition.plural)
  describeResource(definition, cases)
}
const badName = { title: 'a bad name', object: () => ({ metadata: { name: 'A_b' } }), field: 'metadata.name' }

describeCore(configMaps, {
  types,
  valid: () => ({ metadata: {}, data: { a: '1' } }),
  invalid: [badName, { title: 'a bad key', object: () => ({ metadata: { name: 'a' }, data: { 'a b': '' } }), field: 'data[a b]' }],
})
describeCore(secrets, {
  types,
  valid: () => ({ metadata: {}, type: 'Opaque', data: { a: 'AA==' } }),
  invalid: [
    badName,
    { title: 'half a pair', object: () => ({ metadata: { name: 'a' }, type: 'kubernetes.io/tls' }), field: 'data[tls.crt]' },
  ],
})
describeCore(serviceAccounts, { types, valid: () => ({ metadata: {} }), invalid: [badName] })
describeCore(services, {
  types,
  valid: () => ({
    metadata: {},
    spec: {
      type: 'ClusterIP',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
    },
  }),
  invalid: [badName, { title: 'no ports', object: () => ({ metadata: { name: 'a' }, spec: { type: 'ClusterIP' } }), field: 'spec.ports' }],
})
describeCore(namespaces, {
  types,
  valid: () => ({ metadata: {} }),
  invalid: [badName, { title: 'dots', object: () => ({ metadata: { name: 'a.b' } }), field: 'metadata.name' }],
})
describeCore(events, {
  types,
  valid: () => ({
    metadata: {},
    involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p' },
    reason: 'Started',
    action: 'Start',
    type: 'Normal',
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingComponent: 'example.com/kubelet',
    reportingInstance: 'n1',
  }),
})

describeCore(nodes, {
  types,
  valid: () => ({ metadata: {}, spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
  invalid: [
    badName,
    {
      title: 'a taint without effect',
      object: () => ({ metadata: { name: 'a' }, spec: { taints: [{ key: 'a', effect: '' }] } }),
      field: 'metadata.taints[0].effect',
    },
  ],
})
describeCore(limitRanges, {
  types,
  valid: () => ({
    metadata: {},
    spec: { limits: [{ type: 'Container', max: { cpu: '1' }, default: { cpu: '1' }, defaultRequest: { cpu: '1' } }] },
  }),
  invalid: [
    badName,
    {
      title: 'more at the least than at the most',
      object: () => ({ metadata: { name: 'a' }, spec: { limits: [{ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }] } }),
      field: 'spec.limits[0].min[cpu]',
    },
  ],
})
describeCore(resourceQuotas, {
  types,
  valid: () => ({ metadata: {}, spec: { hard: { pods: '1' } } }),
  invalid: [
    badName,
    { title: 'half a pod', object: () => ({ metadata: { name: 'a' }, spec: { hard: { pods: '500m' } } }), field: 'spec.hard[pods]' },
  ],
})

describeCore(persistentVolumes, {
  types,
  valid: () => ({
    metadata: {},
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
      nfs: { server: 's', path: '/' },
    },
  }),
  invalid: [
    badName,
    {
      title: 'no source',
      object: () => ({ metadata: { name: 'a' }, spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] } }),
      field: 'spec',
    },
  ],
})
describeCore(persistentVolumeClaims, {
  types,
  valid: () => ({ metadata: {}, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }),
  invalid: [
    badName,
    {
      title: 'no size',
      object: () => ({ metadata: { name: 'a' }, spec: { accessModes: ['ReadWriteOnce'] } }),
      field: 'spec.resources[storage]',
    },
  ],
})

const createTemplate = (): PodTemplateSpec => {
  const created: PodTemplateSpec = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  setPodTemplateDefaults(created)
  return created
}
describeCore(podTemplates, {
  types,
  valid: () => ({ metadata: {}, template: createTemplate() }),
  invalid: [
    badName,
    {
      title: 'no containers',
      object: () => ({ metadata: { name: 'a' }, template: { spec: { ...createTemplate().spec!, containers: [] } } }),
      field: 'template.spec.containers',
    },
  ],
})
describeCore(replicationControllers, {
  types,
  valid: () => ({ metadata: {}, spec: { replicas: 1, selector: { app: 'a' }, template: createTemplate() } }),
  invalid: [
    badName,
    {
      title: 'a selector of others',
      object: () => ({ metadata: { name: 'a' }, spec: { replicas: 1, selector: { app: 'b' }, template: createTemplate() } }),
      field: 'spec.template.metadata.labels',
    },
  ],
})
describeCore(endpoints, {
  types,
  valid: () => ({ metadata: {}, subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80, protocol: 'TCP' }] }] }),
  invalid: [
    badName,
    {
      title: 'this machine',
      object: () => ({ metadata: { name: 'a' }, subsets: [{ addresses: [{ ip: '127.0.0.1' }] }] }),
      field: 'subsets[0].addresses[0].ip',
    },
  ],
})

describe('core resources', () => {
  it('have shared test cases', () => {
    expect([...described].sort()).toEqual(core.resources.map(({ plural }) => plural).sort())
  })

  it('are all resources of core/v1, each listed once', () => {
    expect(new Set(core.resources.map(({ group, version }) => `${group}/${version}`))).toEqual(new Set(['/v1']))
    expect(core.resources.map(({ plural }) => plural).sort()).toEqual([
      'configmaps',
      'endpoints',
      'events',
      'limitranges',
      'namespaces',
      'nodes',
      'persistentvolumeclaims',
      'persistentvolumes',
      'pods',
      'podtemplates',
      'replicationcontrollers',
      'resourcequotas',
      'secrets',
      'serviceaccounts',
      'services',
    ])
  })
})
