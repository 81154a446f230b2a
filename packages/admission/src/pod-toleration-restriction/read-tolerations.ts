import type { Toleration } from '@keelson/api/core/v1'
import { formatFieldError, newFieldPath } from '@keelson/apimachinery'
import { createPodRules, parseAnnotationList, validateTolerations } from '@keelson/resources-core'
import { readListMember, readObject, readTypedConfiguration } from '../typed-configuration.ts'

export interface TolerationConfiguration {
  /** Tolerations of pods in namespaces without default tolerations. */
  readonly default: readonly Toleration[]
  /** Allowed tolerations in namespaces without a list of their own. An empty list allows all. */
  readonly whitelist: readonly Toleration[]
}

/** Parses the configuration of the plugin PodTolerationRestriction. Throws an error that lists all invalid tolerations. */
export function readTolerationConfiguration(value: unknown): TolerationConfiguration {
  const members = readTypedConfiguration(value, { 'podtolerationrestriction.admission.k8s.io/v1alpha1': 'Configuration' })
  const read = (name: string): readonly Toleration[] =>
    readListMember(members, name, '').map((item, i) => readToleration(readObject(item, `${name}[${i}]`)))
  const configuration = { default: read('default'), whitelist: read('whitelist') }
  const path = newFieldPath('podtolerationrestriction')
  const errors = (['default', 'whitelist'] as const).flatMap((name) =>
    validateTolerations(configuration[name], createPodRules('pod'), path.child(name)),
  )
  if (errors.length > 0) throw new Error(`invalid config: [${errors.map(formatFieldError).join(' ')}]`)
  return configuration
}

/** Parses the JSON list of tolerations in an annotation. Throws an error with Go's message. Names of members may have any case. */
export function parseTolerations(text: string): readonly Toleration[] {
  return text === '' ? [] : parseAnnotationList(text, 'v1.Toleration').map(readToleration)
}

const texts = ['key', 'operator', 'value', 'effect'] as const

function readToleration(members: Readonly<Record<string, unknown>>): Toleration {
  const toleration: Toleration = {}
  for (const name of texts) {
    const value = members[name] ?? ''
    if (typeof value !== 'string') throw createMismatchError(name, value, 'string')
    if (value !== '') toleration[name] = value
  }
  const seconds = members['tolerationSeconds'] ?? members['tolerationseconds'] ?? undefined
  if (seconds === undefined) return toleration
  if (!Number.isInteger(seconds)) throw createMismatchError('tolerationSeconds', seconds, 'int64')
  return { ...toleration, tolerationSeconds: seconds as number }
}

function createMismatchError(name: string, value: unknown, type: string): Error {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return new Error(`json: cannot unmarshal ${found} into Go struct field Toleration.${name} of type ${type}`)
}
