import type { AggregationRule, ClusterRole, ClusterRoleBinding, Role, RoleBinding, Subject } from '@keelson/api/rbac/v1'
import { copyObject, isApiError, pause, equalsSemantically } from '@keelson/apimachinery'
import type { Clock, DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { LoopbackClient, LoopbackResource, SharedInformers } from '@keelson/loopback'
import {
  bindingsToSplit,
  bootstrapClusterRoleBindings,
  bootstrapClusterRoles,
  bootstrapRoleBindings,
  bootstrapRoles,
  findMissingRules,
  roleAutoUpdateAnnotation,
  rolesToAggregate,
} from '@keelson/resources'

type AnyRole = ClusterRole | Role
type AnyBinding = ClusterRoleBinding | RoleBinding

const group = 'rbac.authorization.k8s.io'
const findResource = <T extends KubeObject>(client: LoopbackClient, resource: string): LoopbackResource<T> =>
  client.resource<T>({ group, resource })!

/**
 * Creates the built-in roles and bindings, and adds missing rules, subjects and labels to existing ones. Objects annotated with
 * `rbac.authorization.kubernetes.io/autoupdate: "false"` are not changed. The writes run concurrently, so that they share flushes to disk.
 */
export async function createBootstrapRoles(client: LoopbackClient): Promise<void> {
  const clusterRoles = findResource<ClusterRole>(client, 'clusterroles')
  const clusterRoleBindings = findResource<ClusterRoleBinding>(client, 'clusterrolebindings')
  const roles = findResource<Role>(client, 'roles')
  const roleBindings = findResource<RoleBinding>(client, 'rolebindings')
  const [presentClusterRoles, presentClusterRoleBindings, presentRoles, presentRoleBindings] = await Promise.all([
    listAll(clusterRoles),
    listAll(clusterRoleBindings),
    listAll(roles),
    listAll(roleBindings),
  ])
  await moveAggregatedRules(clusterRoles, presentClusterRoles)
  await splitBindings(clusterRoleBindings, presentClusterRoleBindings)
  await Promise.all([
    ...bootstrapClusterRoles.map((role) => reconcileRole(clusterRoles, role, presentClusterRoles)),
    ...bootstrapClusterRoleBindings.map((binding) => reconcileBinding(clusterRoleBindings, binding, presentClusterRoleBindings)),
    ...bootstrapRoles.map((role) => reconcileRole(roles, role, presentRoles)),
    ...bootstrapRoleBindings.map((binding) => reconcileBinding(roleBindings, binding, presentRoleBindings)),
  ])
}

/**
 * Time limit in milliseconds for waiting until the informers have the bootstrap objects. It is reached only if another client deletes one
 * of them immediately.
 */
const longestWaitMs = 5000

/**
 * Waits until the RBAC informers have received the bootstrap objects. Without this, a ready server could refuse requests because the roles
 * are not known yet.
 */
export async function followBootstrapRoles(informers: SharedInformers, clock: Clock): Promise<void> {
  const enough = new AbortController()
  const received = Promise.all([
    hasSeen(informers, 'clusterroles', bootstrapClusterRoles),
    hasSeen(informers, 'clusterrolebindings', bootstrapClusterRoleBindings),
    hasSeen(informers, 'roles', bootstrapRoles),
    hasSeen(informers, 'rolebindings', bootstrapRoleBindings),
  ])
  await Promise.race([received, pause(clock, longestWaitMs, { signal: enough.signal })])
  enough.abort()
}

async function hasSeen(informers: SharedInformers, resource: string, objects: readonly DeepReadonly<KubeObject>[]): Promise<void> {
  const missingKeys = new Set(objects.map(formatKey))
  const { promise, resolve } = Promise.withResolvers<void>()
  const unsubscribe = informers.of({ group, resource })?.subscribe(({ object }) => {
    missingKeys.delete(formatKey(object))
    if (missingKeys.size === 0) resolve()
  })
  if (unsubscribe === undefined) return
  await promise
  unsubscribe()
}

type Present<T extends KubeObject> = Map<string, DeepReadonly<T>>

async function listAll<T extends KubeObject>(resource: LoopbackResource<T>): Promise<Present<T>> {
  const { items } = await resource.list({ resourceVersion: '' })
  return new Map(items.map((object) => [formatKey(object), object]))
}

function formatKey({ metadata }: DeepReadonly<KubeObject>): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`
}

async function reconcileRole<T extends AnyRole>(resource: LoopbackResource<T>, desired: DeepReadonly<T>, roles: Present<T>): Promise<void> {
  const present = roles.get(formatKey(desired))
  if (present === undefined) await create(resource, desired)
  else await updateIfNeeded(resource, present, (role) => mergeRole(role, desired))
}

async function reconcileBinding<T extends AnyBinding>(
  resource: LoopbackResource<T>,
  desired: DeepReadonly<T>,
  bindings: Present<T>,
): Promise<void> {
  const present = bindings.get(formatKey(desired))
  if (present === undefined) await create(resource, desired)
  else if (equalsSemantically(present.roleRef, desired.roleRef)) {
    await updateIfNeeded(resource, present, async (binding) => mergeBinding(binding, desired))
  } else if (!isProtected(present)) {
    // The role of a binding is immutable.
    const { namespace = '', name = '', uid } = present.metadata
    await resource.delete(namespace, name, uid === undefined ? {} : { preconditions: { uid } }).catch(ignoreNotFound)
    await create(resource, desired)
  }
}

/** Creates an object that was not found in the store. Bypasses the watch cache, which may still contain an object that was just deleted. */
async function create<T extends KubeObject>(resource: LoopbackResource<T>, desired: DeepReadonly<T>): Promise<void> {
  const { namespace = '' } = (desired as DeepReadonly<KubeObject>).metadata
  await resource.create(namespace, copyObject(desired) as T).catch((error: unknown) => {
    // Another server created the object first.
    if (!isApiError(error, 'AlreadyExists')) throw error
  })
}

/** Updates an object if `change` returns a different one. Otherwise writes nothing. */
async function updateIfNeeded<T extends KubeObject>(
  resource: LoopbackResource<T>,
  present: DeepReadonly<T>,
  change: (object: DeepReadonly<T>) => Promise<T>,
): Promise<void> {
  if (isProtected(present)) return
  const changed = await change(present)
  if (equalsSemantically(changed, present)) return
  const { namespace = '', name = '', resourceVersion } = (present as DeepReadonly<KubeObject>).metadata
  try {
    await resource.update(namespace, name, (object) => {
      if (object.metadata.resourceVersion !== resourceVersion) throw new ChangedMeanwhile()
      return changed
    })
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) return ignoreNotFound(error)
    const newest = await resource.get(namespace, name, { resourceVersion: '' })
    if (newest !== undefined) await updateIfNeeded(resource, newest, change)
  }
}

class ChangedMeanwhile extends Error {}

/** Ignores the error that an object does not exist: it was deleted in the meantime, and the next start creates it again. */
function ignoreNotFound(error: unknown): void {
  if (!isApiError(error, 'NotFound')) throw error
}

function isProtected(object: DeepReadonly<KubeObject>): boolean {
  return object.metadata.annotations?.[roleAutoUpdateAnnotation] === 'false'
}

async function mergeRole<T extends AnyRole>(present: DeepReadonly<T>, desired: DeepReadonly<T>): Promise<T> {
  const role = withMetadata(present, desired)
  const isUnchanged = equalsSemantically(present.rules, desired.rules)
  const missing = isUnchanged ? [] : await findMissingRules(present.rules ?? [], desired.rules ?? [])
  if (missing.length > 0) role.rules = [...(role.rules ?? []), ...missing]
  if (!isClusterRole(role)) return role
  const aggregation = reconcileAggregation(role, desired)
  if (aggregation === undefined) delete role.aggregationRule
  else role.aggregationRule = aggregation
  return role
}

function isClusterRole(role: AnyRole): role is ClusterRole {
  return (role.metadata.namespace ?? '') === ''
}

/** Returns the aggregation rule with the missing selectors added. Returns undefined if the built-in role does not aggregate rules. */
function reconcileAggregation(role: ClusterRole, desired: DeepReadonly<ClusterRole>): AggregationRule | undefined {
  if (desired.aggregationRule === undefined) return undefined
  const present = role.aggregationRule?.clusterRoleSelectors ?? []
  const desiredSelectors = (copyObject(desired.aggregationRule) as AggregationRule).clusterRoleSelectors ?? []
  return {
    clusterRoleSelectors: [
      ...present,
      ...desiredSelectors.filter((selector) => !present.some((held) => equalsSemantically(held, selector))),
    ],
  }
}

function mergeBinding<T extends AnyBinding>(present: DeepReadonly<T>, desired: DeepReadonly<T>): T {
  const binding = withMetadata(present, desired)
  const presentSubjects: readonly Subject[] = binding.subjects ?? []
  const missing = (copyObject(desired).subjects ?? []).filter(
    (subject) => !presentSubjects.some((other) => equalsSemantically(other, subject)),
  )
  if (missing.length > 0) binding.subjects = [...presentSubjects, ...missing]
  return binding
}

/** Returns a copy of the object with the labels and annotations of `desired` added. Existing values are kept. */
function withMetadata<T extends KubeObject>(present: DeepReadonly<T>, desired: DeepReadonly<T>): T {
  const copy = copyObject(present) as T
  const { labels, annotations } = (desired as DeepReadonly<KubeObject>).metadata
  copy.metadata.labels = { ...labels, ...copy.metadata.labels }
  copy.metadata.annotations = { ...annotations, ...copy.metadata.annotations }
  return copy
}

/**
 * Copies the rules of `admin`, `edit` and `view` to the roles that these now aggregate. Clusters older than role aggregation keep rules
 * that users have added.
 */
async function moveAggregatedRules(resource: LoopbackResource<ClusterRole>, present: Present<ClusterRole>): Promise<void> {
  for (const [from, to] of Object.entries(rolesToAggregate)) {
    const old = present.get(`/${from}`)
    if (old === undefined || old.aggregationRule !== undefined || present.has(`/${to}`)) continue
    await copyAs(resource, present, { ...copyObject(old), metadata: moveMetadata(old, to) })
  }
}

/**
 * Copies the subjects of the older binding of `system:discovery` to the binding of `system:public-info-viewer` on creation. Clusters older
 * than that role keep the changes that users have made.
 */
async function splitBindings(resource: LoopbackResource<ClusterRoleBinding>, present: Present<ClusterRoleBinding>): Promise<void> {
  for (const [from, to] of Object.entries(bindingsToSplit)) {
    const old = present.get(`/${from}`)
    const desired = bootstrapClusterRoleBindings.find(({ metadata }) => metadata.name === to)
    if (old === undefined || desired === undefined || present.has(`/${to}`)) continue
    const { subjects } = copyObject(old) as ClusterRoleBinding
    const { roleRef } = desired
    await copyAs(resource, present, { metadata: moveMetadata(old, to), ...(subjects && { subjects }), roleRef })
  }
}

function moveMetadata({ metadata: { labels, annotations } }: DeepReadonly<KubeObject>, name: string): KubeObject['metadata'] {
  return { name, ...(labels && { labels: { ...labels } }), ...(annotations && { annotations: { ...annotations } }) }
}

async function copyAs<T extends KubeObject>(resource: LoopbackResource<T>, present: Present<T>, object: T): Promise<void> {
  await create(resource, object as DeepReadonly<T>)
  const stored = await resource.get('', object.metadata.name!, { resourceVersion: '' })
  if (stored !== undefined) present.set(formatKey(stored), stored)
}
