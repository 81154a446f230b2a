import { coreV1 } from '@keelson/api/core/v1'
import type { Node } from '@keelson/api/core/v1'
import { measureUtf8Bytes, fieldError, newFieldPath, parseQuantity, quote } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { parseCidr, validateLegacyCidr } from '../cidr.ts'
import { toInternalStruct } from '../internal-structs/to-internal-struct.ts'
import { validateResourceQuantity } from '../pod-spec/resource-quantities.ts'
import { validateNodeAnnotations } from './validate-annotations.ts'
import { validateConfigSource, validateConfigStatus } from './validate-config-source.ts'
import { validateTaints } from './validate-taints.ts'

type ReadonlyNode = DeepReadonly<Node>

const metadataPath = newFieldPath('metadata')
const cidrsPath = newFieldPath('spec', 'podCIDRs')
const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/
const maxFeatureName = 253

/** Validates a node on create and update. Like upstream, reports errors of taints and swap with a path below `metadata`. */
export function validateNode(node: ReadonlyNode): FieldErrorList {
  const { metadata, spec, status } = node
  const swap = status?.nodeInfo?.swap?.capacity
  return [
    ...validateNodeAnnotations(metadata.annotations, metadataPath.child('annotations')),
    ...validateTaints(spec?.taints ?? [], metadataPath.child('taints')),
    ...validateResources(node),
    ...(swap === undefined || swap > 0
      ? []
      : [fieldError.invalid(metadataPath.child('nodeSwapStatus', 'capacity'), swap, 'must be greater than zero')]),
    ...validateDeclaredFeatures(status?.declaredFeatures ?? []),
    ...validatePodCIDRs(spec?.podCIDRs ?? []),
  ]
}

/** Validates an update of a node or of its status. */
export function validateNodeChange(node: ReadonlyNode, old: ReadonlyNode): FieldErrorList {
  const { metadata, spec, status } = node
  const errors = [
    ...validateNodeAnnotations(metadata.annotations, metadataPath.child('annotations')),
    ...validateResources(node),
    ...validateDeclaredFeatures(status?.declaredFeatures ?? []),
    ...validateAddresses(node),
    ...validateCIDRChange(spec?.podCIDRs ?? [], old.spec?.podCIDRs ?? []),
  ]
  if (old.spec?.providerID && spec?.providerID !== old.spec.providerID) {
    const detail = 'node updates may not change providerID except from "" to valid'
    errors.push(fieldError.forbidden(newFieldPath('spec', 'providerID'), detail))
  }
  if (spec?.configSource !== undefined) errors.push(...validateConfigSource(spec.configSource, newFieldPath('spec', 'configSource')))
  if (status?.config !== undefined) errors.push(...validateConfigStatus(status.config, newFieldPath('status', 'config')))
  errors.push(...validateTaints(spec?.taints ?? [], metadataPath.child('taints')))
  if ((spec?.externalID ?? '') !== (old.spec?.externalID ?? '')) {
    errors.push(fieldError.forbidden(newFieldPath('spec', 'externalID'), 'may not be updated'))
  }
  return errors
}

function validateResources({ status }: ReadonlyNode): FieldErrorList {
  return (['capacity', 'allocatable'] as const).flatMap((member) =>
    Object.entries(status?.[member] ?? {}).flatMap(([name, text]) =>
      validateResourceQuantity(name, parseQuantity(text), newFieldPath('status', member, name)),
    ),
  )
}

function validateDeclaredFeatures(features: readonly string[]): FieldErrorList {
  const path = newFieldPath('status', 'declaredFeatures')
  return features.flatMap((name, i) => {
    const errors: FieldErrorList = []
    const nameError = findFeatureNameError(name)
    if (nameError !== undefined) errors.push(fieldError.invalid(path.index(i), name, `invalid feature name ${quote(name)}: ${nameError}`))
    const next = features[i + 1]
    if (next === name) errors.push(fieldError.duplicate(path.index(i + 1), next))
    else if (next !== undefined && name > next) {
      errors.push(fieldError.invalid(path.index(i + 1), next, 'list must be sorted alphabetically'))
    }
    return errors
  })
}

function findFeatureNameError(name: string): string | undefined {
  if (measureUtf8Bytes(name) > maxFeatureName) return `must be no more than ${maxFeatureName} characters`
  if (featureName.test(name)) return undefined
  return "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
}

/** Validates the pod CIDRs of a node. Allows one CIDR per IP family. */
function validatePodCIDRs(cidrs: readonly string[]): FieldErrorList {
  const errors = cidrs.flatMap((value, i) => validateLegacyCidr(value, cidrsPath.index(i)))
  if (cidrs.length < 2) return errors
  const invalidIndex = cidrs.findIndex((value) => parseCidr(value) === undefined)
  if (invalidIndex >= 0) {
    const detail = `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${invalidIndex}]: <nil> (invalid CIDR address: ${cidrs[invalidIndex]})`
    errors.push(fieldError.internal(cidrsPath, detail))
  }
  const families = new Set(cidrs.map((value) => parseCidr(value)?.address.family))
  if (invalidIndex >= 0 || families.size < 2 || cidrs.length > 2) {
    errors.push(fieldError.invalid(cidrsPath, cidrs, 'may specify no more than one CIDR for each IP family'))
  }
  return errors
}

function validateAddresses({ status }: ReadonlyNode): FieldErrorList {
  const visited = new Set<string>()
  return (status?.addresses ?? []).flatMap((address, i) => {
    const key = `${address.type} ${address.address}`
    if (visited.has(key))
      return [
        fieldError.duplicate(newFieldPath('status', 'addresses').index(i), toInternalStruct(coreV1.table.resolve('NodeAddress'), address)),
      ]
    visited.add(key)
    return []
  })
}

/** Rejects changes of the pod CIDRs if the node already has some. */
function validateCIDRChange(cidrs: readonly string[], old: readonly string[]): FieldErrorList {
  if (old.length === 0) return []
  const changes = cidrs.length === old.length ? old.filter((value, i) => value !== cidrs[i]).length : 1
  return Array.from({ length: changes }, () =>
    fieldError.forbidden(cidrsPath, 'node updates may not change podCIDR except from "" to valid'),
  )
}
