import type { StatefulSet, StatefulSetSpec } from '@keelson/api/apps/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { formatFieldError } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { statefulSets } from './index.ts'

const context = {} as RequestContext
const { strategy } = statefulSets
const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }

function createStatefulSet(members: Partial<StatefulSetSpec> = {}): StatefulSet {
  const built: StatefulSet = {
    metadata: { name: 's', generation: 1 },
    spec: {
      serviceName: 's',
      selector: { matchLabels: { app: 'a' } },
      template: {
        metadata: { labels: { app: 'a' } },
        spec: { containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
      },
      volumeClaimTemplates: [structuredClone(claim)],
      ...structuredClone(members),
    },
  }
  statefulSets.setDefaults?.(built)
  return built
}

describe('stateful sets', () => {
  it('stores claim templates with their type and status', () => {
    expect(createStatefulSet().spec?.volumeClaimTemplates).toMatchObject([
      { kind: 'PersistentVolumeClaim', apiVersion: 'v1', spec: { volumeMode: 'Filesystem' }, status: { phase: 'Pending' } },
    ])
  })

  it('accepts mounts of claim templates', () => {
    expect(strategy.validateCreate?.(context, createStatefulSet())).toEqual([])
    expect(strategy.validateCreate?.(context, createStatefulSet({ volumeClaimTemplates: [] })).map(formatFieldError)).toEqual([
      'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
    ])
  })

  it('rejects changes of immutable fields', () => {
    const changed = createStatefulSet({ replicas: 3, minReadySeconds: 1, ordinals: { start: 2 } })
    expect(strategy.validateUpdate?.(context, changed, createStatefulSet())).toEqual([])
    const [error] = strategy.validateUpdate?.(context, createStatefulSet({ podManagementPolicy: 'Parallel' }), createStatefulSet()) ?? []
    expect(error).toMatchObject({ type: 'FieldValueForbidden', field: 'spec' })
  })

  it('scales a set whose stored template is invalid', () => {
    const old = createStatefulSet({ serviceName: 'a.b' })
    old.spec!.template.spec!.containers = [{ name: 'c', image: '' }]
    const changed = structuredClone(old)
    changed.spec!.replicas = 0
    expect(strategy.validateUpdate?.(context, changed, old)).toEqual([])
  })

  it('drops a new value of maxUnavailable', () => {
    const createWithMaxUnavailable = (): StatefulSet => createStatefulSet({ updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } })
    const created = createWithMaxUnavailable()
    strategy.prepareForCreate?.(context, created)
    expect(created.spec?.updateStrategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { partition: 0 } })
    const updated = createWithMaxUnavailable()
    strategy.prepareForUpdate?.(context, updated, createWithMaxUnavailable())
    expect(updated.spec?.updateStrategy?.rollingUpdate?.maxUnavailable).toBe(2)
  })

  it('warns about unlimited history and about fractions of bytes', () => {
    const odd = createStatefulSet({
      revisionHistoryLimit: -1,
      volumeClaimTemplates: [{ ...claim, spec: { ...claim.spec, resources: { requests: { storage: '1500m' } } } }],
    })
    expect(strategy.warningsOnCreate?.(context, odd)).toEqual([
      'spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    ])
  })
})
