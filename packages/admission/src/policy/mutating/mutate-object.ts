import type { Namespace } from '@keelson/api/core/v1'
import { formatGroupVersion, isApiError, getErrorMessage, newInternal, newServiceUnavailable } from '@keelson/apimachinery'
import type { DeepReadonly, GroupVersionKind, JsonObject, JsonValue } from '@keelson/apimachinery'
import { applyConfiguration, formatKind } from '@keelson/apimachinery/managed-fields'
import type { KindSchema } from '@keelson/apimachinery/managed-fields'
import { applyJsonPatchInSlices, getFailedOperation } from '@keelson/apimachinery/patch'
import { checkTypeNames, listElements, StructValue, toConfiguration, toPatchValue } from '@keelson/cel'
import type { CelList, Value } from '@keelson/cel'
import type { VersionedObject } from '@keelson/registry'
import type { AdmissionAttributes } from '../../admission.ts'
import type { MatchedResource } from '../../matching/match-criteria.ts'
import { evaluateExpressions } from '../evaluate-expressions.ts'
import type { PolicyInput, PolicyMatch } from '../policy-input.ts'
import type { Param } from '../policy-params.ts'
import type { MutatingPolicy, PolicyMutation } from './mutating-policy.ts'

type ListValue = readonly unknown[] | CelList

/** kube-apiserver's cost budget for one mutation and the variables that it uses. */
const costBudget = 10_000_000

/** A request to change by a policy. */
export interface MutationRequest {
  readonly input: PolicyInput
  readonly matched: MatchedResource
  readonly params: Param
  readonly namespace: DeepReadonly<Namespace> | undefined
}

/**
 * Applies one mutation of a policy to the object of a request. Throws an `ApiError` with which the request is refused, or an error that is
 * subject to the failure policy.
 */
export async function mutateObject(policy: MutatingPolicy, mutation: PolicyMutation, request: MutationRequest): Promise<void> {
  const { input, matched } = request
  const { attributes } = input
  const schema = attributes.schemaOf(matched.kind)
  if (schema === undefined) throw newServiceUnavailable(formatSchemaMissing(matched.kind))
  const match = await input.in(matched)
  const value = await evaluate(policy, mutation, match, request)
  const target: PatchTarget = { attributes, matched, schema, object: match.object! }
  const patched = mutation.patchType === 'JSONPatch' ? await patch(target, value) : apply(target, value)
  checkVersion(target)
  await attributes.replace(patched)
  input.forget()
}

async function evaluate(
  { variables, observe }: MutatingPolicy,
  mutation: PolicyMutation,
  match: PolicyMatch,
  { input, params, namespace }: MutationRequest,
): Promise<Value> {
  if (mutation.problem !== undefined) throw new Error(mutation.problem)
  const requestVariables = match.variables({ params, namespace, hasAuthorizer: true })
  const settings = { policyVariables: variables, budget: costBudget, options: input.evaluation, observe }
  const evaluated = await evaluateExpressions([mutation], requestVariables, settings)
  if (evaluated.problem !== undefined) throw new Error(evaluated.problem)
  const { value, error } = evaluated.results[0]!
  if (error !== undefined) throw new Error(error)
  return value!
}

/** An object to patch, in the version of the matched kind. */
interface PatchTarget {
  readonly attributes: AdmissionAttributes
  readonly matched: MatchedResource
  readonly schema: KindSchema
  readonly object: VersionedObject
}

/** Merges the `Object{…}` of an expression into the object. */
function apply({ attributes, matched, schema, object }: PatchTarget, value: Value): VersionedObject {
  if (!(value instanceof StructValue)) throw new Error(`unsupported return type from ApplyConfiguration expression`)
  const mismatch = checkTypeNames(value)
  if (mismatch !== undefined) throw new Error(`type mismatch: ${mismatch}`)
  const configuration = toConfiguration(value)
  if (configuration === undefined) throw new Error('invalid return type: *dynamic.ObjectVal')
  const merged = withContext('error applying patch', () => {
    if (!isDescribed(attributes, matched)) {
      throw new Error(`failed to convert patch object to typed object: no corresponding type for ${formatGroupVersionKind(matched.kind)}`)
    }
    return applyConfiguration(schema, object as unknown as JsonObject, configuration)
  })
  const conversion = `unable to convert unstructured object to ${formatGroupVersionKind(matched.kind)}`
  return withContext(conversion, () => attributes.decode(matched.kind, merged, { converting: true }))
}

/**
 * Returns whether the OpenAPI document of the kind's group and version describes the kind. As in kube-apiserver, other kinds have no schema:
 * those of connections, and those of subresources that are in another group, such as Scale.
 */
function isDescribed({ operation }: AdmissionAttributes, { resource, kind }: MatchedResource): boolean {
  return operation !== 'CONNECT' && resource.group === kind.group && resource.version === kind.version
}

/** Applies the list of `JSONPatch{…}` of an expression to the object. A patch whose test fails changes nothing. */
async function patch({ attributes, matched, schema, object }: PatchTarget, value: Value): Promise<VersionedObject> {
  const operations = listElements(value as ListValue).map((operation) => toOperation(operation as StructValue))
  let patched: JsonValue
  try {
    patched = await applyJsonPatchInSlices(object as unknown as JsonValue, operations, { signal: () => attributes.context.signal })
  } catch (error) {
    const failure = getFailedOperation(error)
    if (failure === undefined) throw error
    if (failure.isFailedTest) return object
    throw new Error(`JSON Patch: ${failure.message}`, { cause: error })
  }
  try {
    checkKind(patched, matched.kind, schema)
    return attributes.decode(matched.kind, patched, { strict: true })
  } catch (error) {
    throw newInternal(getErrorMessage(error), { cause: error })
  }
}

function toOperation({ fields }: StructValue): JsonObject {
  const evaluateText = (name: string): string => {
    const field = fields.get(name)
    return typeof field === 'string' ? field : ''
  }
  const operation: JsonObject = { op: evaluateText('op'), path: evaluateText('path') }
  if (evaluateText('from') !== '') operation['from'] = evaluateText('from')
  const value = fields.get('value')
  if (value === undefined) return operation
  if (value instanceof StructValue) {
    const mismatch = checkTypeNames(value)
    if (mismatch !== undefined) throw new Error(`type mismatch: ${mismatch}`)
  }
  const json = withContext('JSONPath valueExpression evaluated to a type that could not marshal to JSON', () => toPatchValue(value))
  // As in kube-apiserver, a null equals nothing, not even an absent member. NaN has this property.
  return { ...operation, value: json === null && operation['op'] === 'test' ? Number.NaN : json }
}

/** Refuses another kind, and for built-in kinds also another version. */
function checkKind(patched: JsonValue, { kind, ...groupVersion }: GroupVersionKind, schema: KindSchema): void {
  const apiVersion = formatGroupVersion(groupVersion)
  const sent = patched as { readonly kind?: unknown; readonly apiVersion?: unknown } | null
  const sentKind = sent?.kind ?? kind
  const sentVersion = isCustom(schema) ? apiVersion : (sent?.apiVersion ?? apiVersion)
  if (sentKind === kind && sentVersion === apiVersion) return
  const names = `no kind ${JSON.stringify(sentKind)} is registered for version ${JSON.stringify(sentVersion)}`
  throw new Error(`${names} in scheme "pkg/runtime/scheme.go:111"`)
}

/** Custom resources have a merge schema of their own. */
function isCustom({ mergeType }: KindSchema): boolean {
  return mergeType !== undefined
}

/** Refuses a match through another version. kube-apiserver can change a built-in kind only in the version of the request. */
function checkVersion({ attributes, matched, schema }: PatchTarget): void {
  const [own, { group, version, kind }] = [attributes.kind, matched.kind]
  if (isCustom(schema) || (group === own.group && version === own.version)) return
  if (group === own.group) throw new Error(`converting (${version}.${kind}) to (${own.version}.${kind}): unknown conversion`)
  const target = JSON.stringify(formatGroupVersion(own))
  throw new Error(`${version}.${kind} is not suitable for converting to ${target} in scheme "pkg/runtime/scheme.go:111"`)
}

function withContext<Result>(context: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (isApiError(error)) throw error
    throw new Error(`${context}: ${getErrorMessage(error)}`, { cause: error })
  }
}

function formatSchemaMissing(kind: GroupVersionKind): string {
  return `Resource kind ${formatGroupVersionKind(kind)} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`
}

function formatGroupVersionKind({ kind, ...groupVersion }: GroupVersionKind): string {
  return formatKind(formatGroupVersion(groupVersion), kind)
}
