import { aggregateFieldErrors, fieldError, newFieldPath, isDNS1123Label, isDNS1123Subdomain } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { readStrictMembers, readStringList, readStringMember } from '../strict-members.ts'
import { readTypedConfiguration } from '../typed-configuration.ts'
import { isLevel, isVersion, levelMessage, versionMessage } from './policy.ts'
import type { Level, LevelVersion, Mode, Policy } from './policy.ts'

/** Configuration of the plugin PodSecurity: a default policy for namespaces without labels, and exemptions. */
export interface PodSecurityConfiguration {
  readonly defaults: Policy
  readonly exemptions: {
    readonly usernames: ReadonlySet<string>
    readonly namespaces: ReadonlySet<string>
    readonly runtimeClasses: ReadonlySet<string>
  }
}

const kinds = Object.fromEntries(
  ['v1', 'v1beta1', 'v1alpha1'].map((version) => [`pod-security.admission.config.k8s.io/${version}`, 'PodSecurityConfiguration']),
)
const modes = ['enforce', 'warn', 'audit'] as const

/**
 * Parses a PodSecurityConfiguration that was read from YAML. Undefined is an empty configuration. Throws an error that lists all problems.
 */
export function readPodSecurityConfiguration(value?: unknown): PodSecurityConfiguration {
  const top = readStrictMembers(readTypedConfiguration(value, kinds), '', ['kind', 'apiVersion', 'defaults', 'exemptions'])
  const defaults = readStrictMembers(
    top['defaults'] ?? {},
    'defaults',
    modes.flatMap((mode) => [mode, `${mode}-version`]),
  )
  const exemptions = readStrictMembers(top['exemptions'] ?? {}, 'exemptions', ['usernames', 'namespaces', 'runtimeClasses'])
  const errors: FieldErrorList = []
  const policy = Object.fromEntries(modes.map((mode) => [mode, readMode(defaults, mode, errors)])) as Record<Mode, LevelVersion>
  const list = (name: string, problem: (item: string) => string): ReadonlySet<string> => readExempt(exemptions, name, problem, errors)
  const result = {
    defaults: policy,
    exemptions: {
      namespaces: list('namespaces', (item) => isDNS1123Label(item).join(', ')),
      runtimeClasses: list('runtimeClasses', (item) => isDNS1123Subdomain(item).join(', ')),
      usernames: list('usernames', (item) => (item === '' ? 'username must not be empty' : '')),
    },
  }
  if (errors.length > 0) throw new Error(aggregateFieldErrors(errors))
  return result
}

type Members = Readonly<Record<string, unknown>>

function readMode(defaults: Members, mode: Mode, errors: FieldErrorList): LevelVersion {
  const level = readStringMember(defaults, mode, 'defaults') || 'privileged'
  const version = readStringMember(defaults, `${mode}-version`, 'defaults') || 'latest'
  if (!isLevel(level)) errors.push(fieldError.invalid(newFieldPath('defaults', mode), level, levelMessage))
  if (!isVersion(version)) errors.push(fieldError.invalid(newFieldPath('defaults', `${mode}-version`), version, versionMessage))
  return { level: level as Level, version }
}

function readExempt(exemptions: Members, name: string, problem: (item: string) => string, errors: FieldErrorList): ReadonlySet<string> {
  const items = new Set<string>()
  for (const [i, item] of readStringList(exemptions, name, 'exemptions').entries()) {
    const path = newFieldPath('exemptions', name).index(i)
    const error = problem(item)
    if (error !== '') errors.push(fieldError.invalid(path, item, error))
    else if (items.has(item)) errors.push(fieldError.duplicate(path, item))
    items.add(item)
  }
  return items
}
