import type { ParamKind, ParamRef, ValidatingAdmissionPolicy } from '@keelson/api/admissionregistration/v1'
import { fieldError, fieldPath, newInvalid, parseGroupVersionKind, semanticEqual } from '@keelson/apimachinery'
import type { DeepReadonly, GroupVersionKind, KubeObject, RequestContext, UserInfo } from '@keelson/apimachinery'
import type { ResourceDefinition, StoreHooks } from '@keelson/registry'
import { validateInSlices } from '../expressions/validate-in-slices.ts'

const masters = 'system:masters'

/** What is asked for, with "*" for all of a part. */
export interface ParamAccess {
  readonly verb: 'get' | 'list'
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** What parameters are, and who may read them: nobody learns by a policy what he may not read himself. */
export interface ParamAuthority {
  allows(context: RequestContext, access: ParamAccess): Promise<boolean>
  /** The plural of a kind that is served. */
  resourceOf(kind: GroupVersionKind): string | undefined
  /** The policy of a binding; undefined when it is not there. */
  policy(name: string): Promise<DeepReadonly<Policy> | undefined>
}

/** As far as parameters go, policies that validate and those that mutate are alike. */
type Policy = Pick<ValidatingAdmissionPolicy, 'metadata'> & { readonly spec?: { readonly paramKind?: ParamKind } }
type Binding = KubeObject & { readonly spec?: { readonly policyName?: string; readonly paramRef?: ParamRef } }

/** For both kinds of policies: whoever writes one may read all objects of the kind of its parameters. */
export function policyHooks<T extends KubeObject>(definition: ResourceDefinition<T>, authority: ParamAuthority): StoreHooks<T> {
  return hooks(definition, 'paramKind', async (context, object, old) => {
    const paramKind = (object as DeepReadonly<Policy>).spec?.paramKind
    if (paramKind === undefined || semanticEqual(paramKind, (old as DeepReadonly<Policy> | undefined)?.spec?.paramKind)) return undefined
    const all = { verb: 'get', namespace: '*', name: '*' } as const
    if (await authority.allows(context, { ...all, ...resolve(paramKind, authority).part })) return undefined
    const { kind = '', apiVersion = '' } = paramKind
    const what = `(kind=${kind}, apiVersion=${apiVersion})`
    return `user ${userText(context.user)} must have "get" permission on all objects of the referenced paramKind ${what}`
  })
}

/** For both kinds of bindings: whoever writes one may read the parameters that it refers to. */
export function policyBindingHooks<T extends KubeObject>(definition: ResourceDefinition<T>, authority: ParamAuthority): StoreHooks<T> {
  return hooks(definition, 'paramRef', async (context, object, old) => {
    const { paramRef, policyName = '' } = (object as DeepReadonly<Binding>).spec ?? {}
    const before = (old as DeepReadonly<Binding> | undefined)?.spec
    if (paramRef === undefined || (semanticEqual(paramRef, before?.paramRef) && policyName === before?.policyName)) return undefined
    const { name = '', namespace = '' } = paramRef
    const verb = name === '' ? 'list' : 'get'
    const policy = await authority.policy(policyName)
    const { part, failure } =
      policy === undefined ? { part: anything, failure: `get policy ${policyName}` } : resolve(policy.spec?.paramKind, authority)
    if (await authority.allows(context, { verb, namespace, name, ...part })) return undefined
    const user = `user ${userText(context.user)} does not have "${verb}" permission`
    if (failure === undefined) return `${user} on the object referenced by paramRef`
    return `unable to ${failure} to determine minimum required permissions and ${user} for all groups, versions and resources`
  })
}

type Check<T extends KubeObject> = (context: RequestContext, object: DeepReadonly<T>, old?: DeepReadonly<T>) => Promise<string | undefined>

/** What is wrong in itself is for the strategy to refuse; only what is well formed is asked about. */
function hooks<T extends KubeObject>(definition: ResourceDefinition<T>, member: 'paramKind' | 'paramRef', check: Check<T>): StoreHooks<T> {
  const { group, kind, strategy } = definition
  const nothing = (): void => {}
  const run = async (context: RequestContext, object: T, old?: DeepReadonly<T>): Promise<() => void> => {
    if (context.user.groups.includes(masters)) return nothing
    const complaint = await check(context, object as DeepReadonly<T>, old)
    if (complaint === undefined) return nothing
    const readonly = object as DeepReadonly<T>
    const own = await validateInSlices(
      context,
      () => (old === undefined ? strategy.validateCreate?.(context, readonly) : strategy.validateUpdate?.(context, readonly, old)) ?? [],
    )
    if (own.length > 0) return nothing
    throw newInvalid({ group, kind }, object.metadata.name ?? '', [fieldError.forbidden(fieldPath('spec', member), complaint)])
  }
  return { beginCreate: (context, object) => run(context, object), beginUpdate: run }
}

const anything = { group: '*', version: '*', resource: '*' } as const

type Resolved = { readonly part: Pick<ParamAccess, 'group' | 'version' | 'resource'>; readonly failure?: string }

/** As narrow as can be told. */
function resolve(paramKind: DeepReadonly<ParamKind> | undefined, authority: ParamAuthority): Resolved {
  if (paramKind === undefined) return { part: anything }
  const { apiVersion = '', kind = '' } = paramKind
  if (apiVersion.split('/').length > 2) return { part: anything, failure: `parse paramKind ${kindText(apiVersion, kind)}` }
  const gvk = parseGroupVersionKind(apiVersion, kind)
  const { group, version } = gvk
  const resource = authority.resourceOf(gvk)
  if (resource !== undefined) return { part: { group, version, resource } }
  return { part: { group, version, resource: '*' }, failure: `resolve paramKind ${kindText(apiVersion, kind)}` }
}

/** As Go prints structs. */
function kindText(apiVersion: string, kind: string): string {
  return `&{${apiVersion} ${kind}}`
}

function userText({ name, uid = '', groups, extra = {} }: UserInfo): string {
  const more = Object.keys(extra)
    .toSorted()
    .map((key) => `${key}:[${extra[key]!.join(' ')}]`)
  return `&{${name} ${uid} [${groups.join(' ')}] map[${more.join(' ')}]}`
}
