import type { Volume } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldError, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateDNSLabel } from './field-rules.ts'
import type { PodRules } from './pod-rules.ts'
import { validateVolumeSource } from './validate-volume-source.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

export interface VolumeScope {
  readonly rules: PodRules
  /** Name of the pod. Claims of ephemeral volumes are named after it. "" in templates, and for a pod whose name is generated later. */
  readonly podName: string
}

export interface CheckedVolumes {
  readonly errors: readonly FieldError[]
  /** Valid volumes by name. Containers cannot mount other volumes. */
  readonly volumes: ReadonlyMap<string, DeepReadonly<Volume>>
}

const noVolumes: CheckedVolumes = { errors: [], volumes: new Map() }

export function validateVolumes({ volumes }: ReadonlyPodSpec, context: VolumeScope, specPath: FieldPath): CheckedVolumes {
  if (volumes === undefined) return noVolumes
  const path = specPath.child('volumes')
  const errors: FieldErrorList = []
  const valid = new Map<string, DeepReadonly<Volume>>()
  const created = context.podName === '' ? [] : volumes.filter(({ ephemeral }) => ephemeral !== undefined)
  const createdClaims = new Set(created.map(({ name }) => `${context.podName}-${name}`))
  for (let i = 0; i < volumes.length; i++) {
    const volume = volumes[i]!
    const at = path.index(i)
    const { name = '', persistentVolumeClaim: claim } = volume
    const volumeErrors = validateVolumeSource(volume, context, at)
    volumeErrors.push(...(name === '' ? [fieldError.required(at.child('name'))] : validateDNSLabel(name, at, 'name')))
    if (valid.has(name)) volumeErrors.push(fieldError.duplicate(at.child('name'), name))
    if (volumeErrors.length === 0) valid.set(name, volume)
    for (const error of volumeErrors) errors.push(error)
    if (claim !== undefined && createdClaims.has(claim.claimName)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume'
      errors.push(fieldError.invalid(at.child('persistentVolumeClaim', 'claimName'), claim.claimName, detail))
    }
  }
  return { errors, volumes: valid }
}
