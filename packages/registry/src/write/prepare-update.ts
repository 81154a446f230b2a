import { validateObjectMetaUpdate } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, KubeObject, ObjectMeta, RequestContext } from '@keelson/apimachinery'
import { checkCommonMetadata, checkMetadata, matchNamespace, refuseInvalid, runValidation } from './prepare-create.ts'
import type { StoreParts, UpdatePlan } from '../store-parts.ts'

/**
 * Prepares the new state of an object for storage and validates it. `object` already has the resourceVersion that it replaces.
 * A promise if validation takes long.
 */
export function beforeUpdate<T extends KubeObject>(
  parts: StoreParts<T>,
  plan: UpdatePlan<T>,
  context: RequestContext,
  object: T,
  old: DeepReadonly<T>,
): void | Promise<void> {
  const { strategy } = plan
  matchNamespace(parts.definition, context, object.metadata)
  keep(object.metadata, old.metadata, 'generation')
  strategy.prepareForUpdate?.(context, object, old)
  keepSystemFields(object.metadata, old.metadata)
  const readonly = object as DeepReadonly<T>
  return runValidation(strategy, context, {
    validate: (steps) => [
      ...metadataErrors(parts, plan, object.metadata, old.metadata),
      ...(strategy.validateUpdate?.(context, readonly, old, steps) ?? []),
    ],
    finish(errors) {
      refuseInvalid(parts, object, errors)
      for (const text of strategy.warningsOnUpdate?.(context, readonly, old) ?? []) context.warn(text)
      strategy.canonicalize?.(object)
    },
  })
}

/** Restores uid, creation time and deletion: no update changes them. */
function keepSystemFields(metadata: ObjectMeta, old: DeepReadonly<ObjectMeta>): void {
  if ((metadata.uid ?? '') === '') keep(metadata, old, 'uid')
  if (old.creationTimestamp !== undefined) keep(metadata, old, 'creationTimestamp')
  if (old.deletionTimestamp !== undefined) keep(metadata, old, 'deletionTimestamp')
  if (old.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    keep(metadata, old, 'deletionGracePeriodSeconds')
  }
}

type KeptMember = 'generation' | 'uid' | 'creationTimestamp' | 'deletionTimestamp' | 'deletionGracePeriodSeconds'

function keep(metadata: ObjectMeta, old: DeepReadonly<ObjectMeta>, member: KeptMember): void {
  if (old[member] === undefined) delete metadata[member]
  else Object.assign(metadata, { [member]: old[member] })
}

function metadataErrors<T extends KubeObject>(
  parts: StoreParts<T>,
  plan: UpdatePlan<T>,
  metadata: ObjectMeta,
  old: DeepReadonly<ObjectMeta>,
): FieldErrorList {
  const { definition } = parts
  const { repeatedMetadataChecks } = plan
  const common = checkCommonMetadata(definition, metadata)
  const changes = validateObjectMetaUpdate(metadata, old)
  // No errors, and the name was valid when the object was created: repeating the checks would find nothing.
  if (common.length === 0 && changes.length === 0 && metadata.name === old.name) return []
  return [
    ...common,
    ...changes,
    ...(repeatedMetadataChecks === 'all' || repeatedMetadataChecks === 'update' ? changes : []),
    ...(repeatedMetadataChecks === 'all' || repeatedMetadataChecks === 'create' ? checkMetadata(definition, metadata) : []),
  ]
}
