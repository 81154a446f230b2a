import type { Event } from '@keelson/api/core/v1'
import { aggregateMessages, ApiError, systemClock } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { Buckets } from './buckets.ts'
import { readEventRateLimits } from './configuration.ts'
import type { LimitType } from './configuration.ts'

/**
 * Creates the plugin EventRateLimit. It rejects events of the core group that exceed a limit: of the server, of a namespace, of a user, or
 * of one source and object. An event that one limit rejects also counts in the other limits.
 */
export function createEventRateLimitPlugin({ clock = systemClock }: PluginDependencies, configuration?: unknown): AdmissionPlugin {
  const limits = readEventRateLimits(configuration).map((limit) => ({ type: limit.type, buckets: new Buckets(limit) }))
  return {
    name: 'EventRateLimit',
    operations: ['CREATE', 'UPDATE'],
    resources: ['events'],
    validate(attributes) {
      if (attributes.dryRun) return
      const now = clock.now()
      const exceeded: string[] = []
      for (const { type, buckets } of limits) {
        const key = keyOf[type](attributes)
        if (!buckets.take(key, now)) exceeded.push(`limit reached on type ${type} for key ${key}`)
      }
      if (exceeded.length > 0)
        throw new ApiError({ reason: 'TooManyRequests', message: `Too many requests: ${aggregateMessages(exceeded)}` })
    },
  }
}

const keyOf: Readonly<Record<LimitType, (attributes: AdmissionAttributes) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ context }) => context.user.name,
  SourceAndObject({ object }) {
    const { source, involvedObject = {} } = object as Partial<Event>
    const { kind, namespace, name, uid, apiVersion } = involvedObject
    return [source?.component, source?.host, kind, namespace, name, uid, apiVersion].join('')
  },
}
