import type { Namespace } from '@keelson/api/core/v1'
import { fieldError, fieldPath, validateFinalizerName } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'

const finalizersPath = fieldPath('spec', 'finalizers')
const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

export function validateNamespace(namespace: DeepReadonly<Namespace>): FieldErrorList {
  return (namespace.spec?.finalizers ?? []).flatMap((name) => validateFinalizer(name, finalizersPath))
}

export function validateFinalize(namespace: DeepReadonly<Namespace>): FieldErrorList {
  return (namespace.spec?.finalizers ?? []).flatMap((name, i) => validateFinalizer(name, finalizersPath.index(i)))
}

/** The phase must be "Terminating" exactly if the namespace is being deleted. */
export function validateStatus(namespace: DeepReadonly<Namespace>): FieldErrorList {
  const phase = namespace.status?.phase ?? ''
  const path = fieldPath('status', 'Phase')
  if (namespace.metadata.deletionTimestamp === undefined) {
    return phase === 'Active' ? [] : [fieldError.invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty")]
  }
  return phase === 'Terminating' ? [] : [fieldError.invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")]
}

function validateFinalizer(name: string, path: FieldPath): FieldErrorList {
  const errors = validateFinalizerName(name, path)
  if (!name.includes('/') && !standardFinalizers.has(name)) {
    errors.push(fieldError.invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified'))
  }
  return errors
}
