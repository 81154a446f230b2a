import type { ClusterTrustBundleProjection } from '@keelson/api/core/v1'
import { fieldError, nameIsDNSSubdomain, validateLabelSelector } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateRequired } from './field-rules.ts'
import { validateUnreservedPath } from './validate-paths.ts'
import { validateSignerName } from './validate-signer-name.ts'

/** Validates a projection of ClusterTrustBundles. It selects bundles by name, or by signer and labels. */
export function validateTrustBundle(bundle: DeepReadonly<ClusterTrustBundleProjection>, path: FieldPath): FieldErrorList {
  const { name, signerName, labelSelector } = bundle
  const errors: FieldErrorList = []
  if (name !== undefined && signerName !== undefined) {
    errors.push(fieldError.invalid(path, bundle, 'only one of name and signerName may be used'))
  } else if (name !== undefined) {
    errors.push(...validateRequired(name, path, 'name', 'must be a valid object name'))
    for (const message of findTrustBundleNameErrors(name)) {
      errors.push(fieldError.invalid(path.child('name'), name, `not a valid clustertrustbundlename: ${message}`))
    }
    if (labelSelector !== undefined) {
      errors.push(fieldError.invalid(path.child('labelSelector'), labelSelector, 'labelSelector must be unset if name is specified'))
    }
  } else if (signerName !== undefined) {
    errors.push(...validateRequired(signerName, path, 'signerName', 'must be a valid signer name'))
    errors.push(...validateSignerName(signerName, path.child('signerName')))
    errors.push(...validateLabelSelector(labelSelector, path.child('labelSelector')))
  } else {
    errors.push(fieldError.required(path, 'either name or signerName must be specified'))
  }
  return [...errors, ...validateRequired(bundle.path, path.child('path')), ...validateUnreservedPath(bundle.path ?? '', path.child('path'))]
}

/** Returns error messages about the name of a trust bundle. Valid are "signer.example.com:path:name" and names without colons. */
function findTrustBundleNameErrors(name: string): readonly string[] {
  return nameIsDNSSubdomain(name.slice(name.lastIndexOf(':') + 1), false)
}
