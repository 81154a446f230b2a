import type { PodTemplateSpec, ReplicationController, ReplicationControllerSpec } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, equalsSemantically, validateNonNegative } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { validatePodTemplateSpec } from '../pod-spec/validate-pod-template.ts'
import { printMap } from '../print-map.ts'

type ReadonlyController = DeepReadonly<ReplicationController>
type ReadonlySpec = DeepReadonly<ReplicationControllerSpec>
type StringMap = Readonly<Record<string, string>>

const specPath = newFieldPath('spec')
const templatePath = specPath.child('template')
const statusPath = newFieldPath('status')

export function validateReplicationController({ spec = {} }: ReadonlyController): FieldErrorList {
  return validateSpec(spec)
}

export function validateReplicationControllerUpdate({ spec = {} }: ReadonlyController, old: ReadonlyController): FieldErrorList {
  return [...validateSpec(spec, old.spec?.template), ...validateNonConvertible(spec, old)]
}

function validateSpec(spec: ReadonlySpec, oldTemplate?: DeepReadonly<PodTemplateSpec>): FieldErrorList {
  const { selector = {}, replicas, template } = spec
  return [
    ...validateNonNegative(spec.minReadySeconds ?? 0, specPath.child('minReadySeconds')),
    ...(Object.keys(selector).length === 0 ? [fieldError.required(specPath.child('selector'))] : []),
    ...(replicas === undefined
      ? [fieldError.required(specPath.child('replicas'))]
      : validateNonNegative(replicas, specPath.child('replicas'))),
    ...(template === undefined ? [fieldError.required(templatePath)] : validateTemplate(template, selector, oldTemplate)),
  ]
}

function validateTemplate(
  template: DeepReadonly<PodTemplateSpec>,
  selector: StringMap,
  oldTemplate: DeepReadonly<PodTemplateSpec> | undefined,
): FieldErrorList {
  const labels = template.metadata?.labels
  const errors: FieldErrorList = []
  if (Object.entries(selector).some(([key, value]) => labels?.[key] !== value)) {
    const detail = '`selector` does not match template `labels`'
    errors.push(fieldError.invalid(templatePath.child('metadata', 'labels'), printMap(template.metadata, 'labels'), detail))
  }
  errors.push(...validatePodTemplateSpec(template, templatePath, oldTemplate))
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec ?? {}
  const podPath = templatePath.child('spec')
  if (restartPolicy !== 'Always') {
    errors.push(fieldError.notSupported(podPath.child('restartPolicy'), restartPolicy, ['Always']))
  }
  if (activeDeadlineSeconds !== undefined) {
    const detail = 'activeDeadlineSeconds in ReplicationController is not Supported'
    errors.push(fieldError.forbidden(podPath.child('activeDeadlineSeconds'), detail))
  }
  return errors
}

/** Rejects a change of the selector if an annotation marks it as not convertible to another API version. */
function validateNonConvertible(spec: ReadonlySpec, old: ReadonlyController): FieldErrorList {
  return Object.entries(old.metadata.annotations ?? {}).flatMap(([key, value]) => {
    const [prefix = '', member, ...rest] = key.split('/')
    if (!prefix.startsWith('non-convertible.kubernetes.io') || member === undefined || rest.length > 0) return []
    if (!member.includes('selector')) {
      return [{ ...fieldError.notFoundField(newFieldPath(member), value), detail: 'unknown non-convertible field' }]
    }
    if (equalsSemantically(old.spec?.selector ?? {}, spec.selector ?? {})) return []
    return [fieldError.invalid(specPath.child('selector'), printMap(spec, 'selector'), 'cannot update non-convertible selector')]
  })
}

export function validateReplicationControllerStatus({ status }: ReadonlyController): FieldErrorList {
  const { replicas = 0, fullyLabeledReplicas = 0, readyReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = status ?? {}
  const counts = { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration }
  const errors = Object.entries(counts).flatMap(([name, count]) => validateNonNegative(count, statusPath.child(name)))
  for (const name of ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const) {
    if (counts[name] > replicas) {
      errors.push(fieldError.invalid(statusPath.child(name), counts[name], 'cannot be greater than status.replicas'))
    }
  }
  if (availableReplicas > readyReplicas) {
    errors.push(fieldError.invalid(statusPath.child('availableReplicas'), availableReplicas, 'cannot be greater than readyReplicas'))
  }
  return errors
}
