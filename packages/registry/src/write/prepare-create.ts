import {
  collectFieldErrors,
  formatTime,
  newInvalid,
  newBadRequest,
  validateObjectMeta,
  isPathSegmentName,
  nameIsDNSSubdomain,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, KubeObject, ObjectMeta, RequestContext } from '@keelson/apimachinery'
import type { ResourceDefinition, Strategy, ValidationSteps } from '../resource-definition.ts'
import type { StoreParts } from '../store-parts.ts'

/** Sets uid and creation time, and drops the other system fields that a client sent. */
export function fillSystemFields(parts: Pick<StoreParts<KubeObject>, 'now' | 'newUid'>, metadata: ObjectMeta): void {
  if (metadata.deletionTimestamp !== undefined) delete metadata.deletionTimestamp
  if (metadata.deletionGracePeriodSeconds !== undefined) delete metadata.deletionGracePeriodSeconds
  if (metadata.selfLink !== undefined) delete metadata.selfLink
  metadata.uid = parts.newUid()
  metadata.creationTimestamp = formatTime(parts.now())
}

/** Prepares a named object for storage and validates it. A promise if validation takes long. */
export function beforeCreate<T extends KubeObject>(parts: StoreParts<T>, context: RequestContext, object: T): void | Promise<void> {
  const { definition } = parts
  const { strategy } = definition
  matchNamespace(definition, context, object.metadata)
  strategy.prepareForCreate?.(context, object)
  const readonly = object as DeepReadonly<T>
  return runValidation(strategy, context, {
    validate: (steps) => invalidities(definition, object.metadata, strategy.validateCreate?.(context, readonly, steps) ?? []),
    finish(errors) {
      refuseInvalid(parts, object, errors)
      for (const text of strategy.warningsOnCreate?.(context, readonly) ?? []) context.warn(text)
      strategy.canonicalize?.(object)
    },
  })
}

/** The errors of metadata and of the kind's own rules. Some kinds check metadata only if their own rules pass. */
function invalidities<T extends KubeObject>(definition: ResourceDefinition<T>, metadata: ObjectMeta, own: FieldErrorList): FieldErrorList {
  if (definition.strategy.repeatedMetadataChecks === 'none' && own.length > 0) return own
  return [...checkMetadata(definition, metadata), ...own]
}

/** Fills in the request's namespace, and refuses another one. */
export function matchNamespace(definition: Pick<ResourceDefinition, 'scope'>, context: RequestContext, metadata: ObjectMeta): void {
  const expected = definition.scope === 'Namespaced' ? context.namespace : ''
  const given = metadata.namespace ?? ''
  if (expected === '') delete metadata.namespace
  else if (given === '') metadata.namespace = expected
  else if (given !== expected) throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request')
}

/** Validates the metadata of a new object, with the kind's rule for names. */
export function checkMetadata<T extends KubeObject>(definition: ResourceDefinition<T>, metadata: DeepReadonly<ObjectMeta>): FieldErrorList {
  const { validateName } = definition
  if (validateName === undefined) return metadataErrors(definition, metadata, nameIsDNSSubdomain)
  const errors = metadataErrors(definition, metadata, validateName)
  // A kind's own rule (RBAC names) may allow names that are no valid keys.
  return errors.length > 0 ? errors : metadataErrors(definition, metadata, isPathSegmentName)
}

/** Validates metadata with the rules of every kind, and the laxest rule for names. */
export function checkCommonMetadata<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  metadata: DeepReadonly<ObjectMeta>,
): FieldErrorList {
  return metadataErrors(definition, metadata, isPathSegmentName)
}

function metadataErrors<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  metadata: DeepReadonly<ObjectMeta>,
  validateName: (name: string, prefix: boolean) => readonly string[],
): FieldErrorList {
  return validateObjectMeta(metadata, { namespaced: definition.scope === 'Namespaced', validateName })
}

export function refuseInvalid<T extends KubeObject>(parts: StoreParts<T>, object: KubeObject, errors: FieldErrorList): void {
  if (errors.length > 0) throw newInvalid({ group: parts.gvk.group, kind: parts.gvk.kind }, object.metadata.name ?? '', errors)
}

export interface Validation {
  readonly validate: (steps?: ValidationSteps) => FieldErrorList
  readonly finish: (errors: FieldErrorList) => void
}

/** Validates, in slices if the strategy wants that, then finishes with the errors. A promise if validation takes long. */
export function runValidation(
  strategy: Pick<Strategy<KubeObject>, 'runValidation'>,
  context: RequestContext,
  { validate, finish }: Validation,
): void | Promise<void> {
  const collect = (steps?: ValidationSteps): FieldErrorList => collectFieldErrors(() => validate(steps))
  const errors = strategy.runValidation === undefined ? collect() : strategy.runValidation(context, collect)
  return errors instanceof Promise ? errors.then(finish) : finish(errors)
}
