import {
  collectFieldErrors,
  copyObject,
  formatTime,
  newInvalid,
  newBadRequest,
  runAfter,
  validateObjectMeta,
  isPathSegmentName,
  nameIsDNSSubdomain,
  validateObjectMetaUpdate,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, KubeObject, ObjectMeta, RequestContext } from '@keelson/apimachinery'
import type { ResourceDefinition, Strategy, ValidationSteps } from '../resource-definition.ts'
import type { StoreDependencies, UpdatePlan } from '../store-dependencies.ts'

const noWarnings: readonly string[] = []

/** Sets the uid and creation time of a new object, and removes other system fields that the client sent. */
export function fillSystemFields(dependencies: Pick<StoreDependencies<KubeObject>, 'now' | 'newUid'>, metadata: ObjectMeta): void {
  if (metadata.deletionTimestamp !== undefined) delete metadata.deletionTimestamp
  if (metadata.deletionGracePeriodSeconds !== undefined) delete metadata.deletionGracePeriodSeconds
  if (metadata.selfLink !== undefined) delete metadata.selfLink
  metadata.uid = dependencies.newUid()
  metadata.creationTimestamp = formatTime(dependencies.now())
}

/** Prepares a new object, which has a name, for storage and validates it. Returns a promise only if validation takes long. */
export function prepareCreate<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  object: T,
): void | Promise<void> {
  const { definition } = dependencies
  const { strategy } = definition
  matchNamespace(definition, context, object.metadata)
  strategy.prepareForCreate?.(context, object)
  const readonly = object as DeepReadonly<T>
  return runValidation(strategy, context, {
    validate: (steps) => validateNew(definition, object.metadata, strategy.validateCreate?.(context, readonly, steps) ?? []),
    finish(errors) {
      refuseInvalid(dependencies, object, errors)
      return runAfter(strategy.warningsOnCreate?.(context, readonly) ?? noWarnings, (warnings) => {
        for (const text of warnings) context.warn(text)
        strategy.canonicalize?.(object)
      })
    },
  })
}

/**
 * Validates a new object by the rules for metadata and by the kind's own rules. Some kinds check metadata only if their own rules report no
 * errors.
 */
function validateNew<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  metadata: ObjectMeta,
  kindErrors: FieldErrorList,
): FieldErrorList {
  if (definition.strategy.repeatedMetadataChecks === 'none' && kindErrors.length > 0) return kindErrors
  return [...checkMetadata(definition, metadata), ...kindErrors]
}

/** Sets the object's namespace to that of the request. Throws if the object has a different namespace. */
function matchNamespace(definition: Pick<ResourceDefinition, 'scope'>, context: RequestContext, metadata: ObjectMeta): void {
  const expected = definition.scope === 'Namespaced' ? context.namespace : ''
  const current = metadata.namespace ?? ''
  if (expected === '') delete metadata.namespace
  else if (current === '') metadata.namespace = expected
  else if (current !== expected)
    throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request')
}

/** Validates the metadata of a new object, with the kind's rules for names. */
function checkMetadata<T extends KubeObject>(definition: ResourceDefinition<T>, metadata: DeepReadonly<ObjectMeta>): FieldErrorList {
  const { validateName } = definition
  if (validateName === undefined) return validateMetadata(definition, metadata, nameIsDNSSubdomain)
  const errors = validateMetadata(definition, metadata, validateName)
  // A kind (RBAC) may allow names that are not valid keys, so such names are checked here too.
  return errors.length > 0 ? errors : validateMetadata(definition, metadata, isPathSegmentName)
}

/** Validates metadata by the rules that apply to all kinds. They only require that a name is a valid path segment. */
function checkCommonMetadata<T extends KubeObject>(definition: ResourceDefinition<T>, metadata: DeepReadonly<ObjectMeta>): FieldErrorList {
  return validateMetadata(definition, metadata, isPathSegmentName)
}

function validateMetadata<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  metadata: DeepReadonly<ObjectMeta>,
  validateName: (name: string, prefix: boolean) => readonly string[],
): FieldErrorList {
  return validateObjectMeta(metadata, { namespaced: definition.scope === 'Namespaced', validateName })
}

function refuseInvalid<T extends KubeObject>(dependencies: StoreDependencies<T>, object: KubeObject, errors: FieldErrorList): void {
  if (errors.length > 0)
    throw newInvalid({ group: dependencies.gvk.group, kind: dependencies.gvk.kind }, object.metadata.name ?? '', errors)
}

interface Validation {
  readonly validate: (steps?: ValidationSteps) => FieldErrorList
  readonly finish: (errors: FieldErrorList) => void | Promise<void>
}

/**
 * Validates an object and passes the errors to `finish`. The work is done in slices if the strategy has `runValidation`. Returns a promise
 * only if validation takes long.
 */
function runValidation(
  strategy: Pick<Strategy<KubeObject>, 'runValidation'>,
  context: RequestContext,
  { validate, finish }: Validation,
): void | Promise<void> {
  const collect = (steps?: ValidationSteps): FieldErrorList => collectFieldErrors(() => validate(steps))
  const errors = strategy.runValidation === undefined ? collect() : strategy.runValidation(context, collect)
  return errors instanceof Promise ? errors.then(finish) : finish(errors)
}

/**
 * Prepares the new state of an object for storage and validates it. `object` must already have the resourceVersion of the object that it
 * replaces. Returns a promise only if validation takes long.
 */
export function prepareUpdate<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  plan: UpdatePlan<T>,
  context: RequestContext,
  object: T,
  old: DeepReadonly<T>,
): void | Promise<void> {
  const { strategy } = plan
  matchNamespace(dependencies.definition, context, object.metadata)
  restoreMember(object.metadata, old.metadata, 'generation')
  strategy.prepareForUpdate?.(context, object, old)
  keepSystemFields(object.metadata, old.metadata)
  const readonly = object as DeepReadonly<T>
  return runValidation(strategy, context, {
    validate: (steps) => [
      ...validateUpdatedMetadata(dependencies, plan, object.metadata, old.metadata),
      ...(strategy.validateUpdate?.(context, readonly, old, steps) ?? []),
    ],
    finish(errors) {
      refuseInvalid(dependencies, object, errors)
      return runAfter(strategy.warningsOnUpdate?.(context, readonly, old) ?? noWarnings, (warnings) => {
        for (const text of warnings) context.warn(text)
        strategy.canonicalize?.(object)
      })
    },
  })
}

/** Restores the uid, creation time and deletion fields of the old object, because updates cannot change them. */
function keepSystemFields(metadata: ObjectMeta, old: DeepReadonly<ObjectMeta>): void {
  if ((metadata.uid ?? '') === '') restoreMember(metadata, old, 'uid')
  if (old.creationTimestamp !== undefined) restoreMember(metadata, old, 'creationTimestamp')
  if (old.deletionTimestamp !== undefined) restoreMember(metadata, old, 'deletionTimestamp')
  if (old.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    restoreMember(metadata, old, 'deletionGracePeriodSeconds')
  }
}

type KeptMember = 'generation' | 'uid' | 'creationTimestamp' | 'deletionTimestamp' | 'deletionGracePeriodSeconds'

function restoreMember(metadata: ObjectMeta, old: DeepReadonly<ObjectMeta>, member: KeptMember): void {
  if (old[member] === undefined) delete metadata[member]
  else Object.assign(metadata, { [member]: old[member] })
}

function validateUpdatedMetadata<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  plan: UpdatePlan<T>,
  metadata: ObjectMeta,
  old: DeepReadonly<ObjectMeta>,
): FieldErrorList {
  const { definition } = dependencies
  const { repeatedMetadataChecks } = plan
  const common = checkCommonMetadata(definition, metadata)
  const changes = validateObjectMetaUpdate(metadata, old)
  // The metadata passed the checks when the object was created, and the name has not changed since, so repeating the checks would find no
  // errors.
  if (common.length === 0 && changes.length === 0 && metadata.name === old.name) return []
  return [
    ...common,
    ...changes,
    ...(repeatedMetadataChecks === 'all' || repeatedMetadataChecks === 'update' ? changes : []),
    ...(repeatedMetadataChecks === 'all' || repeatedMetadataChecks === 'create' ? checkMetadata(definition, metadata) : []),
  ]
}

const restoredByStatus = ['deletionTimestamp', 'generation', 'selfLink', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/**
 * Restores the metadata of the old object in a status update. Newer kinds use it, because their status subresource changes only the status.
 */
export function resetMetadataForStatus(metadata: ObjectMeta, old: DeepReadonly<ObjectMeta>): void {
  for (const member of restoredByStatus) {
    const stored = old[member]
    if (stored === undefined) delete metadata[member]
    else Object.assign(metadata, { [member]: copyObject(stored) })
  }
}
