import type { ParamKind, ParamRef, ValidatingAdmissionPolicy } from '@keelson/api/admissionregistration/v1'
import { fieldError, newFieldPath, mastersGroup, newInvalid, parseGroupVersionKind, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, GroupVersionKind, KubeObject, RequestContext, UserInfo } from '@keelson/apimachinery'
import { validateInSlices } from '@keelson/registry'
import type { ResourceDefinition, StoreHooks } from '@keelson/registry'

/** Attributes of an access check. "*" matches every value. */
export interface ParamAccess {
  readonly verb: 'get' | 'list'
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/**
 * Looks up permissions, resources and policies for the check of a policy's parameters. The author of a policy needs the permission to read its
 * parameters. Otherwise the policy could reveal objects that the author cannot read.
 */
export interface ParamAuthority {
  allows(context: RequestContext, access: ParamAccess): Promise<boolean>
  /** Returns the plural of a kind; undefined if the kind is not served. */
  findResource(kind: GroupVersionKind): string | undefined
  /** Returns the policy that a binding names; undefined if it does not exist. */
  findPolicy(name: string): Promise<DeepReadonly<Policy> | undefined>
}

/** A validating or mutating policy with only the fields for parameters. */
type Policy = Pick<ValidatingAdmissionPolicy, 'metadata'> & { readonly spec?: { readonly paramKind?: ParamKind } }
type Binding = KubeObject & { readonly spec?: { readonly policyName?: string; readonly paramRef?: ParamRef } }

/** Returns the hooks of both kinds of policies. A user who writes one needs "get" on all objects of its `paramKind`. */
export function createPolicyHooks<T extends KubeObject>(definition: ResourceDefinition<T>, authority: ParamAuthority): StoreHooks<T> {
  return createParamHooks(definition, 'paramKind', async (context, object, old) => {
    const paramKind = (object as DeepReadonly<Policy>).spec?.paramKind
    if (paramKind === undefined || equalsSemantically(paramKind, (old as DeepReadonly<Policy> | undefined)?.spec?.paramKind))
      return undefined
    const anyObject = { verb: 'get', namespace: '*', name: '*' } as const
    if (await authority.allows(context, { ...anyObject, ...resolveParamKind(paramKind, authority).target })) return undefined
    const { kind = '', apiVersion = '' } = paramKind
    const kindInfo = `(kind=${kind}, apiVersion=${apiVersion})`
    return `user ${printUser(context.user)} must have "get" permission on all objects of the referenced paramKind ${kindInfo}`
  })
}

/** Returns the hooks of both kinds of bindings. A user who writes one needs "get" or "list" on the parameters in `paramRef`. */
export function createPolicyBindingHooks<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  authority: ParamAuthority,
): StoreHooks<T> {
  return createParamHooks(definition, 'paramRef', async (context, object, old) => {
    const { paramRef, policyName = '' } = (object as DeepReadonly<Binding>).spec ?? {}
    const before = (old as DeepReadonly<Binding> | undefined)?.spec
    if (paramRef === undefined || (equalsSemantically(paramRef, before?.paramRef) && policyName === before?.policyName)) return undefined
    const { name = '', namespace = '' } = paramRef
    const verb = name === '' ? 'list' : 'get'
    const policy = await authority.findPolicy(policyName)
    const { target, failure } =
      policy === undefined
        ? { target: everyResource, failure: `get policy ${policyName}` }
        : resolveParamKind(policy.spec?.paramKind, authority)
    if (await authority.allows(context, { verb, namespace, name, ...target })) return undefined
    const user = `user ${printUser(context.user)} does not have "${verb}" permission`
    if (failure === undefined) return `${user} on the object referenced by paramRef`
    return `unable to ${failure} to determine minimum required permissions and ${user} for all groups, versions and resources`
  })
}

type Check<T extends KubeObject> = (context: RequestContext, object: DeepReadonly<T>, old?: DeepReadonly<T>) => Promise<string | undefined>

/** Returns hooks that run `check` before a write. Skips invalid objects, because the strategy reports their errors. */
function createParamHooks<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  member: 'paramKind' | 'paramRef',
  check: Check<T>,
): StoreHooks<T> {
  const { group, kind, strategy } = definition
  const completeNothing = (): void => {}
  const run = async (context: RequestContext, object: T, old?: DeepReadonly<T>): Promise<() => void> => {
    if (context.user.groups.includes(mastersGroup)) return completeNothing
    const denial = await check(context, object as DeepReadonly<T>, old)
    if (denial === undefined) return completeNothing
    const readonly = object as DeepReadonly<T>
    const validationErrors = await validateInSlices(
      context,
      (steps) =>
        (old === undefined
          ? strategy.validateCreate?.(context, readonly, steps)
          : strategy.validateUpdate?.(context, readonly, old, steps)) ?? [],
    )
    if (validationErrors.length > 0) return completeNothing
    throw newInvalid({ group, kind }, object.metadata.name ?? '', [fieldError.forbidden(newFieldPath('spec', member), denial)])
  }
  return { beginCreate: (context, object) => run(context, object), beginUpdate: run }
}

const everyResource = { group: '*', version: '*', resource: '*' } as const

type ResolvedParamKind = { readonly target: Pick<ParamAccess, 'group' | 'version' | 'resource'>; readonly failure?: string }

/** Finds the most specific group, version and resource of a `paramKind`. `failure` is the reason for wildcards in the result. */
function resolveParamKind(paramKind: DeepReadonly<ParamKind> | undefined, authority: ParamAuthority): ResolvedParamKind {
  if (paramKind === undefined) return { target: everyResource }
  const { apiVersion = '', kind = '' } = paramKind
  if (apiVersion.split('/').length > 2) return { target: everyResource, failure: `parse paramKind ${printParamKind(apiVersion, kind)}` }
  const gvk = parseGroupVersionKind(apiVersion, kind)
  const { group, version } = gvk
  const resource = authority.findResource(gvk)
  if (resource !== undefined) return { target: { group, version, resource } }
  return { target: { group, version, resource: '*' }, failure: `resolve paramKind ${printParamKind(apiVersion, kind)}` }
}

/** Prints a ParamKind like Go's `%v` prints a struct pointer. */
function printParamKind(apiVersion: string, kind: string): string {
  return `&{${apiVersion} ${kind}}`
}

function printUser({ name, uid = '', groups, extra = {} }: UserInfo): string {
  const extraKeys = Object.keys(extra)
    .toSorted()
    .map((key) => `${key}:[${extra[key]!.join(' ')}]`)
  return `&{${name} ${uid} [${groups.join(' ')}] map[${extraKeys.join(' ')}]}`
}
