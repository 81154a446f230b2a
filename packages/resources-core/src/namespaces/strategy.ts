import type { Namespace } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, validateFinalizerName } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '../keep-member.ts'
import { labelWithName } from './defaults.ts'

/** Finalizer of the namespace controller. The controller removes it after deleting the contents of the namespace. */
const kubernetesFinalizer = 'kubernetes'

export const namespaceStrategy: Strategy<Namespace> = {
  resetFields: withoutFields('status'),
  prepareForCreate(_context, namespace) {
    namespace.status = { phase: 'Active' }
    const finalizers = namespace.spec?.finalizers ?? []
    if (finalizers.includes(kubernetesFinalizer)) return
    namespace.spec = { ...namespace.spec, finalizers: [...finalizers, kubernetesFinalizer] }
  },
  validateCreate: (_context, namespace) => validateNamespace(namespace),
  // The label is set here and not by the defaults, because a generated name is only known after the defaults.
  canonicalize: labelWithName,
  prepareForUpdate(_context, namespace, old) {
    keepMember(namespace, old, 'spec')
    keepMember(namespace, old, 'status')
  },
  validateUpdate: (_context, namespace) => validateNamespace(namespace),
}

type Update = SubresourceStrategy<Namespace>['update']

export const statusStrategy: Update = {
  resetFields: withoutFields('spec'),
  canonicalize: labelWithName,
  prepareForUpdate: (_context, namespace, old) => keepMember(namespace, old, 'spec'),
  validateUpdate: (_context, namespace) => validateStatus(namespace),
}

/** Strategy of namespaces/finalize. Only this subresource can remove entries from `spec.finalizers`. */
export const finalizeStrategy: Update = {
  resetFields: withoutFields('status'),
  canonicalize: labelWithName,
  prepareForUpdate: (_context, namespace, old) => keepMember(namespace, old, 'status'),
  validateUpdate: (_context, namespace) => validateFinalize(namespace),
}

const finalizersPath = newFieldPath('spec', 'finalizers')
const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

function validateNamespace(namespace: DeepReadonly<Namespace>): FieldErrorList {
  return (namespace.spec?.finalizers ?? []).flatMap((name) => validateFinalizer(name, finalizersPath))
}

function validateFinalize(namespace: DeepReadonly<Namespace>): FieldErrorList {
  return (namespace.spec?.finalizers ?? []).flatMap((name, i) => validateFinalizer(name, finalizersPath.index(i)))
}

/** Validates the phase: it must be "Terminating" if and only if the namespace is being deleted. */
function validateStatus(namespace: DeepReadonly<Namespace>): FieldErrorList {
  const phase = namespace.status?.phase ?? ''
  const path = newFieldPath('status', 'Phase')
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
