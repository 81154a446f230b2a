import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from '@keelson/api/authorization/v1'
import { fieldError, newFieldPath, goJson, validateLabelSelector, createVerbatimValue } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath, ObjectMeta } from '@keelson/apimachinery'
import type { AccessReview, AccessReviewKind } from './index.ts'

const specPath = newFieldPath('spec')
const attributesPath = specPath.child('resourceAttributes')

export function validateAccessReview({ metadata, spec }: AccessReview, kind: AccessReviewKind): FieldErrorList {
  const errors = validateSpec(spec, kind !== 'SelfSubjectAccessReview')
  const local = kind === 'LocalSubjectAccessReview'
  if (!isEmptyMeta(metadata, local)) {
    errors.push(fieldError.invalid(newFieldPath('metadata'), metadata, local ? 'must be empty except for namespace' : 'must be empty'))
  }
  if (!local) return errors
  const { resourceAttributes, nonResourceAttributes } = spec
  const { namespace = '' } = resourceAttributes ?? {}
  if (resourceAttributes !== undefined && namespace !== (metadata.namespace ?? '')) {
    errors.push(fieldError.invalid(attributesPath.child('namespace'), namespace, 'must match metadata.namespace'))
  }
  if (nonResourceAttributes !== undefined) {
    const printed = toInternalStruct(nonResourceAttributes)
    errors.push(fieldError.invalid(specPath.child('nonResourceAttributes'), printed, 'disallowed on this kind of request'))
  }
  return errors
}

function validateSpec(spec: SubjectAccessReviewSpec, hasSubject: boolean): FieldErrorList {
  const { resourceAttributes, nonResourceAttributes, user = '', groups = [] } = spec
  const errors: FieldErrorList = []
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const detail = 'cannot be specified in combination with resourceAttributes'
    errors.push(fieldError.invalid(specPath.child('nonResourceAttributes'), toInternalStruct(nonResourceAttributes), detail))
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    errors.push(fieldError.invalid(attributesPath, null, detail))
  }
  if (hasSubject && user === '' && groups.length === 0) {
    errors.push(fieldError.invalid(specPath.child('user'), user, 'at least one of user or group must be specified'))
  }
  return [...errors, ...validateSelectors(resourceAttributes)]
}

function validateSelectors({ fieldSelector, labelSelector }: ResourceAttributes = {}): FieldErrorList {
  const errors: FieldErrorList = []
  if (fieldSelector !== undefined) {
    const path = attributesPath.child('fieldSelector')
    errors.push(...validateSelectorForm(fieldSelector, path), ...validateFieldRequirements(fieldSelector, path))
  }
  if (labelSelector !== undefined) {
    const path = attributesPath.child('labelSelector')
    errors.push(...validateSelectorForm(labelSelector, path), ...validateLabelRequirements(labelSelector, path))
  }
  return errors
}

/** Requires exactly one of `rawSelector` and `requirements`. */
function validateSelectorForm(selector: FieldSelectorAttributes | LabelSelectorAttributes, path: FieldPath): FieldErrorList {
  const { rawSelector = '', requirements = [] } = selector
  if (rawSelector !== '' && requirements.length > 0) {
    return [fieldError.invalid(path.child('rawSelector'), rawSelector, 'may not specified at the same time as requirements')]
  }
  if (rawSelector !== '' || requirements.length > 0) return []
  return [fieldError.required(path.child('requirements'), `when ${path} is specified, requirements or rawSelector is required`)]
}

/** Fields may have any name and value. Operators of newer clients are allowed and ignored. */
function validateFieldRequirements({ requirements = [] }: FieldSelectorAttributes, path: FieldPath): FieldErrorList {
  return requirements.flatMap(({ key, operator, values = [] }, i) => {
    const at = path.child('requirements').index(i)
    const errors: FieldErrorList = key === '' ? [fieldError.required(at.child('key'), 'must be specified')] : []
    if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
      errors.push(fieldError.required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"))
    }
    if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
      errors.push(fieldError.forbidden(at.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
    }
    return errors
  })
}

function validateLabelRequirements({ requirements = [] }: LabelSelectorAttributes, path: FieldPath): FieldErrorList {
  const errors = validateLabelSelector({ matchExpressions: requirements }, path, { allowUnknownOperator: true })
  return errors.map(({ type, field, badValue, detail }) => ({
    type,
    field: field.replace('.matchExpressions[', '.requirements['),
    badValue,
    detail,
  }))
}

function isEmptyMeta({ managedFields: _managers, namespace, ...rest }: ObjectMeta, local: boolean): boolean {
  return Object.keys(rest).length === 0 && (local || namespace === undefined)
}

/** Prints the attributes the way Go prints kube-apiserver's internal type. */
function toInternalStruct({ path = '', verb = '' }: NonResourceAttributes): unknown {
  return createVerbatimValue(goJson({ Path: path, Verb: verb }))
}
