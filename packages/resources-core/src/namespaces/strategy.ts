import type { Namespace } from '@keelson/api/core/v1'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '../keep-member.ts'
import { labelWithName } from './defaults.ts'
import { validateFinalize, validateNamespace, validateStatus } from './validate.ts'

/** Finalizer of the namespace controller, which removes it after deleting the contents of the namespace. */
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
  // A generated name is not known yet when defaults are set.
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

/** Only this subresource can remove entries from `spec.finalizers`. */
export const finalizeStrategy: Update = {
  resetFields: withoutFields('status'),
  canonicalize: labelWithName,
  prepareForUpdate: (_context, namespace, old) => keepMember(namespace, old, 'status'),
  validateUpdate: (_context, namespace) => validateFinalize(namespace),
}
