import { ConfigurationError } from './configuration-error.ts'
import { featureDependencies } from './feature-gate-dependencies.ts'
import { featureGates } from './feature-gate-table.ts'
import type { FeatureStage } from './feature-gate-table.ts'

/** Feature gates that change the behaviour of this server. The others are accepted without an effect. */
const effectiveGates = new Set([
  'APIServerIdentity',
  'AllowParsingUserUIDFromCertAuth',
  'CBORServingAndStorage',
  'ComponentFlagz',
  'ComponentStatusz',
  'ConstrainedImpersonation',
  'RemoteRequestHeaderUID',
  'UnknownVersionInteroperabilityProxy',
])
const stageGates: ReadonlyMap<string, FeatureStage> = new Map([
  ['AllAlpha', 'Alpha'],
  ['AllBeta', 'Beta'],
])

export interface FeatureGates {
  isEnabled(feature: string): boolean
  /** Lists all gates, including AllAlpha and AllBeta. */
  listGates(): readonly { readonly name: string; readonly stage: FeatureStage; readonly enabled: boolean }[]
}

/**
 * Applies values to the feature gates by kube-apiserver's rules. Calls `onNote` for each gate that has no effect. Throws
 * `ConfigurationError` with all problems.
 */
export function readFeatureGates(set: Readonly<Record<string, boolean>>, onNote: (text: string) => void): FeatureGates {
  const overrides = new Map<string, boolean>()
  const stages = new Map<FeatureStage, boolean>()
  const problems: string[] = []
  for (const [name, on] of Object.entries(set)) {
    const stage = stageGates.get(name)
    const gate = featureGates.get(name)
    if (stage !== undefined) stages.set(stage, on)
    else if (gate === undefined) problems.push(`unrecognized feature gate: ${name}`)
    else if (gate.locked && gate.default !== on) {
      problems.push(`cannot set feature gate ${name} to ${on}, feature is locked to ${gate.default}`)
    } else {
      overrides.set(name, on)
      if (!effectiveGates.has(name) && on !== gate.default) onNote(`feature gate ${name}=${on} has no effect in this server`)
    }
  }
  const isEnabled = (feature: string): boolean => {
    const gate = featureGates.get(feature)
    return overrides.get(feature) ?? (gate?.locked === false ? stages.get(gate.stage) : undefined) ?? gate?.default ?? false
  }
  problems.push(...findDependencyProblems(isEnabled))
  if (problems.length > 0) throw new ConfigurationError(problems)
  return {
    isEnabled: isEnabled,
    listGates: () => [
      ...Array.from(stageGates, ([name, stage]) => ({ name, stage, enabled: stages.get(stage) ?? false })),
      ...Array.from(featureGates, ([name, { stage }]) => ({ name, stage, enabled: isEnabled(name) })),
    ],
  }
}

function findDependencyProblems(isEnabled: (feature: string) => boolean): readonly string[] {
  return [...featureDependencies].flatMap(([feature, needs]) => {
    const disabledNeeds = isEnabled(feature) ? needs.filter((need) => !isEnabled(need)) : []
    return disabledNeeds.length === 0
      ? []
      : [`${feature} is enabled, but depends on features that are disabled: [${disabledNeeds.join(' ')}]`]
  })
}
