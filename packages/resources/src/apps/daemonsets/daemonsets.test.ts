import type { DaemonSet } from '@keelson/api/apps/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { daemonSets } from './index.ts'

const context = {} as RequestContext
const { strategy } = daemonSets
const annotation = 'deprecated.daemonset.template.generation'

function createDaemonSet(image = 'i', annotations?: Record<string, string>): DaemonSet {
  const built: DaemonSet = {
    metadata: { name: 'd', generation: 1, ...(annotations && { annotations }) },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image }] } },
    },
  }
  daemonSets.setDefaults?.(built)
  return built
}

describe('daemon sets', () => {
  it('counts changes of the template, and ignores the value of the client', () => {
    const created = createDaemonSet()
    strategy.prepareForCreate?.(context, created)
    expect(created.metadata).toMatchObject({ generation: 1, annotations: { [annotation]: '1' } })

    const changed = createDaemonSet('j', { [annotation]: '7' })
    strategy.prepareForUpdate?.(context, changed, created)
    expect(changed.metadata).toMatchObject({ generation: 2, annotations: { [annotation]: '2' } })
    expect(strategy.validateUpdate?.(context, changed, created)).toEqual([])

    const again = createDaemonSet('j')
    again.spec!.minReadySeconds = 5
    again.metadata.generation = 2
    strategy.prepareForUpdate?.(context, again, changed)
    expect(again.metadata).toMatchObject({ generation: 3, annotations: { [annotation]: '2' } })
  })

  it('accepts any integer as the first template generation', () => {
    const created = createDaemonSet('i', { [annotation]: '5' })
    strategy.prepareForCreate?.(context, created)
    expect(created.metadata.annotations).toEqual({ [annotation]: '5' })
    expect(() => createDaemonSet('i', { [annotation]: '99999999999999999999' })).toThrow(
      'DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing "99999999999999999999": value out of range',
    )
  })

  it.each([
    [{ maxUnavailable: 0, maxSurge: 0 }, 'spec.updateStrategy.rollingUpdate.maxUnavailable'],
    [{ maxUnavailable: '10%', maxSurge: 1 }, 'spec.updateStrategy.rollingUpdate.maxSurge'],
    [{ maxUnavailable: '101%' }, 'spec.updateStrategy.rollingUpdate.maxUnavailable'],
    [{ maxUnavailable: 0, maxSurge: 'all' }, 'spec.updateStrategy.rollingUpdate.maxSurge'],
  ])('requires exactly one of maxUnavailable and maxSurge: %j', (rollingUpdate, field) => {
    const built = createDaemonSet()
    built.spec!.updateStrategy = { rollingUpdate }
    daemonSets.setDefaults?.(built)
    expect(strategy.validateCreate?.(context, built).map((error) => error.field)).toContain(field)
  })
})
