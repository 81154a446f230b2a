import type { ReplicaSet } from '@keelson/api/apps/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { formatFieldError } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { replicaSets } from './index.ts'

const context = {} as RequestContext

function createReplicaSet(): ReplicaSet {
  const created: ReplicaSet = {
    metadata: { name: 'r' },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  }
  replicaSets.setDefaults?.(created)
  return created
}

describe('replica sets', () => {
  it('requires pods that always restart', () => {
    const created = createReplicaSet()
    Object.assign(created.spec!.template!.spec!, { restartPolicy: 'Never', activeDeadlineSeconds: 1 })
    expect(replicaSets.strategy.validateCreate?.(context, created).map(formatFieldError)).toEqual([
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
    ])
  })

  it('rejects status counts above replicas', () => {
    const status = { replicas: 1, readyReplicas: 1, availableReplicas: 2, terminatingReplicas: -1 }
    const update = replicaSets.subresources?.['status']?.update
    expect(update?.validateUpdate?.(context, { ...createReplicaSet(), status }, createReplicaSet()).map(formatFieldError)).toEqual([
      'status.terminatingReplicas: Invalid value: -1: must be greater than or equal to 0',
      'status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
    ])
  })

  it('prints the selector as a column', () => {
    expect(createTableConvertor(replicaSets).createCells(createReplicaSet(), 0)).toEqual(['r', 1, 0, 0, '<unknown>', 'c', 'i', 'app=a'])
  })
})
