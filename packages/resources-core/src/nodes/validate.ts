import type { Node } from '@keelson/api/core/v1'
import { byteLength, fieldError, fieldPath, parseQuantity, quote } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { parseCidr, validateLegacyCidr } from '../cidr.ts'
import { internalForm } from '../internal-form/internal-form.ts'
import { validateResourceQuantity } from '../pod-spec/resource-quantities.ts'
import { validateNodeAnnotations } from './validate-annotations.ts'
import { validateConfigSource, validateConfigStatus } from './validate-config-source.ts'
import { validateTaints } from './validate-taints.ts'

type ReadonlyNode = DeepReadonly<Node>

const metadataPath = fieldPath('metadata')
const cidrsPath = fieldPath('spec', 'podCIDRs')
const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/
const maxFeatureName = 253

/** What holds for nodes at any time. Errors of taints and of swap name metadata, as they always have. */
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

/** What may change of a node, by itself or by its status; the rest of its rules apart. */
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
    errors.push(fieldError.forbidden(fieldPath('spec', 'providerID'), detail))
  }
  if (spec?.configSource !== undefined) errors.push(...validateConfigSource(spec.configSource, fieldPath('spec', 'configSource')))
  if (status?.config !== undefined) errors.push(...validateConfigStatus(status.config, fieldPath('status', 'config')))
  errors.push(...validateTaints(spec?.taints ?? [], metadataPath.child('taints')))
  if ((spec?.externalID ?? '') !== (old.spec?.externalID ?? '')) {
    errors.push(fieldError.forbidden(fieldPath('spec', 'externalID'), 'may not be updated'))
  }
  return errors
}

function validateResources({ status }: ReadonlyNode): FieldErrorList {
  return (['capacity', 'allocatable'] as const).flatMap((member) =>
    Object.entries(status?.[member] ?? {}).flatMap(([name, text]) =>
      validateResourceQuantity(name, parseQuantity(text), fieldPath('status', member, name)),
    ),
  )
}

function validateDeclaredFeatures(features: readonly string[]): FieldErrorList {
  const path = fieldPath('status', 'declaredFeatures')
  return features.flatMap((name, i) => {
    const errors: FieldErrorList = []
    const complaint = featureNameComplaint(name)
    if (complaint !== undefined) errors.push(fieldError.invalid(path.index(i), name, `invalid feature name ${quote(name)}: ${complaint}`))
    const next = features[i + 1]
    if (next === name) errors.push(fieldError.duplicate(path.index(i + 1), next))
    else if (next !== undefined && name > next) {
      errors.push(fieldError.invalid(path.index(i + 1), next, 'list must be sorted alphabetically'))
    }
    return errors
  })
}

function featureNameComplaint(name: string): string | undefined {
  if (byteLength(name) > maxFeatureName) return `must be no more than ${maxFeatureName} characters`
  if (featureName.test(name)) return undefined
  return "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
}

/** One for each IP family. */
function validatePodCIDRs(cidrs: readonly string[]): FieldErrorList {
  const errors = cidrs.flatMap((value, i) => validateLegacyCidr(value, cidrsPath.index(i)))
  if (cidrs.length < 2) return errors
  const wrong = cidrs.findIndex((value) => parseCidr(value) === undefined)
  if (wrong >= 0) {
    const detail = `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${cidrs[wrong]})`
    errors.push(fieldError.internal(cidrsPath, detail))
  }
  const families = new Set(cidrs.map((value) => parseCidr(value)?.address.family))
  if (wrong >= 0 || families.size < 2 || cidrs.length > 2) {
    errors.push(fieldError.invalid(cidrsPath, cidrs, 'may specify no more than one CIDR for each IP family'))
  }
  return errors
}

function validateAddresses({ status }: ReadonlyNode): FieldErrorList {
  const seen = new Set<string>()
  return (status?.addresses ?? []).flatMap((address, i) => {
    const key = `${address.type} ${address.address}`
    if (seen.has(key)) return [fieldError.duplicate(fieldPath('status', 'addresses').index(i), internalForm('NodeAddress', address))]
    seen.add(key)
    return []
  })
}

/** Whoever hands out ranges gives a node its own once. */
function validateCIDRChange(cidrs: readonly string[], old: readonly string[]): FieldErrorList {
  if (old.length === 0) return []
  const changes = cidrs.length === old.length ? old.filter((value, i) => value !== cidrs[i]).length : 1
  return Array.from({ length: changes }, () =>
    fieldError.forbidden(cidrsPath, 'node updates may not change podCIDR except from "" to valid'),
  )
}
