import { copyObject, equalsJson, fieldError, nameIsDNSSubdomain, validateObjectMeta, validateObjectMetaUpdate } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, JsonObject, KubeObject, RequestContext } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { validateInSlices } from '@keelson/registry'
import type { Strategy, SubresourceStrategy, ValidationSteps } from '@keelson/registry'
import { warnOfFinalizers } from './finalizer-warnings.ts'
import type { ScalePaths } from './scale.ts'
import type { VersionSchema } from './version-schema.ts'

/** The properties of one version of a definition that its rules for objects depend on. */
export interface CustomRules {
  readonly namespaced: boolean
  readonly schema: VersionSchema
  readonly hasStatus: boolean
  readonly scale: ScalePaths | undefined
}

type CustomObject = KubeObject & { status?: unknown }

/** Creates the rules for the objects of one version. */
export function createCustomStrategy(rules: CustomRules): Strategy<KubeObject> {
  const { namespaced, schema, hasStatus, scale } = rules
  return {
    allowUnconditionalUpdate: false,
    // The strategy itself checks metadata, because some metadata errors prevent the evaluation of rules.
    repeatedMetadataChecks: 'none',
    runValidation: validateInSlices,
    ...(hasStatus && { resetFields: withoutFields('status') }),
    prepareForCreate(_context, object) {
      if (hasStatus) delete (object as CustomObject).status
      object.metadata.generation = 1
    },
    prepareForUpdate(_context, object, old) {
      if (hasStatus) restoreStatus(object, old)
      const { generation = 0 } = old.metadata
      if (!equalsJson(withoutMetadata(object), withoutMetadata(old))) object.metadata.generation = generation + 1
    },
    validateCreate(context, object, steps) {
      const typed = schema.typed(object)
      const schemaErrors = schema.validate(typed, undefined, { steps })
      return evaluateRulesAfter(schema, { context, steps, typed }, () => [
        ...validateObjectMeta(object.metadata, { namespaced, validateName: nameIsDNSSubdomain }),
        ...schemaErrors,
        ...validateScale(scale, object),
        ...schema.validateEmbedded(typed),
        ...schema.validateListTypes(typed),
      ])
    },
    validateUpdate(context, object, old, steps) {
      const typed = schema.typed(object)
      const typedOld = schema.typed(old)
      const schemaErrors = schema.validate(typed, typedOld, { steps })
      return evaluateRulesAfter(schema, { context, steps, typed, typedOld }, () => [
        ...validateObjectMetaUpdate(object.metadata, old.metadata),
        ...schemaErrors,
        ...validateScale(scale, object),
        ...schema.validateEmbedded(typed),
        ...schema.validateListTypes(typed, typedOld),
      ])
    },
    warningsOnCreate: (_context, { metadata }) => warnOfFinalizers(metadata.finalizers),
    warningsOnUpdate: (_context, { metadata }, old) => warnOfFinalizers(metadata.finalizers, old.metadata.finalizers),
  }
}

/** Creates the rules of the subresource `status`, which changes only the status. */
export function createCustomStatusStrategy({ schema, scale }: CustomRules): SubresourceStrategy<KubeObject> {
  return {
    update: {
      runValidation: validateInSlices,
      resetFields: withoutFields('metadata', 'spec'),
      prepareForUpdate(_context, object, old) {
        const { managedFields, resourceVersion } = object.metadata
        const members = object as unknown as JsonObject
        const status = members['status']
        for (const name of Object.keys(members)) if (name !== 'status') delete members[name]
        for (const [name, value] of Object.entries(old)) if (name !== 'status') members[name] = copyObject(value) as JsonObject[string]
        if (status === undefined) delete members['status']
        if (managedFields === undefined) delete object.metadata.managedFields
        else object.metadata.managedFields = managedFields
        if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion
      },
      validateUpdate(context, object, old, steps) {
        const typed = schema.typed(object)
        const typedOld = schema.typed(old)
        const schemaErrors = schema.validateStatus(typed, typedOld, { steps })
        return evaluateRulesAfter(schema, { context, steps, typed, typedOld }, () => [
          ...validateObjectMetaUpdate(object.metadata, old.metadata),
          ...schemaErrors,
          ...(scale?.validateStatus(object) ?? []),
          ...schema.validateListTypes(typed, typedOld),
        ])
      },
    },
  }
}

function restoreStatus(object: KubeObject, old: DeepReadonly<KubeObject>): void {
  const { status } = old as DeepReadonly<CustomObject>
  if (Object.hasOwn(old, 'status')) (object as CustomObject).status = copyObject(status)
  else delete (object as CustomObject).status
}

function withoutMetadata(object: DeepReadonly<KubeObject>): JsonObject {
  const { metadata: _, kind: _kind, apiVersion: _apiVersion, ...rest } = object
  return rest
}

function validateScale(scale: ScalePaths | undefined, object: DeepReadonly<KubeObject>): FieldErrorList {
  return scale === undefined ? [] : [...scale.validateSpec(object), ...scale.validateStatus(object)]
}

interface Evaluation {
  readonly context: RequestContext
  readonly steps: ValidationSteps | undefined
  readonly typed: JsonObject
  readonly typedOld?: JsonObject
}

/** The errors after which kube-apiserver does not evaluate rules, because rules rely on the types and sizes in the schema. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

/**
 * Runs the checks before the rules, then the rules. The checks are one step, so that they are not repeated if the rules take long. The rules
 * are not evaluated, and the errors say so, if there are errors that prevent it.
 */
function evaluateRulesAfter(schema: VersionSchema, evaluation: Evaluation, check: () => FieldErrorList): FieldErrorList {
  const { context, steps, typed, typedOld } = evaluation
  const errors = steps === undefined ? check() : steps.run(check)
  if (errors === undefined) return []
  if (!schema.hasRules) return errors
  if (errors.some(({ type }) => blocking.has(type))) {
    const detail =
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
    return [...errors, fieldError.invalid(undefined, null, detail)]
  }
  return [...errors, ...schema.evaluateRules(typed, typedOld, { warn: (text) => context.warn(text), steps, metrics: schema.ruleMetrics })]
}
