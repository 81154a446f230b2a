import { isDNS1123Label, getErrorMessage, nameIsDNSSubdomain, createPathAction, createResourceAction } from '@keelson/apimachinery'
import type { RequestedAction, UserInfo } from '@keelson/apimachinery'
import { CelError, noSuchOverload, OpaqueValue } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementations } from './implementation.ts'

/** The answer to an authorization check. */
export interface AuthorizationDecision {
  readonly allowed: boolean
  readonly reason: string
  /** The error of the check, if there was one. */
  readonly error?: string
}

/** Decides whether a user may perform an action. May throw; expressions can read the error's message. */
export type CheckAuthorization = (user: UserInfo, action: RequestedAction) => AuthorizationDecision | Promise<AuthorizationDecision>

/** A value of the authorizer library. It has no fields and is not equal to any value, as in kube-apiserver. */
abstract class AuthorizationValue extends OpaqueValue {
  override reread(): CelError {
    return noSuchOverload
  }

  equals(other: Value): CelError {
    return other instanceof CelError ? other : noSuchOverload
  }
}

/** The value of the variable `authorizer`, with which expressions check permissions of the user. */
export class AuthorizerValue extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.Authorizer'
  readonly user: UserInfo
  readonly check: CheckAuthorization

  constructor(user: UserInfo, check: CheckAuthorization) {
    super()
    this.user = user
    this.check = check
  }

  /** Returns the value of `authorizer.requestResource`. */
  resource(action: Omit<Parameters<typeof createResourceAction>[0], 'verb'>): ResourceCheck {
    return new ResourceCheck(this, { apiVersion: '*', ...action })
  }
}

class PathCheck extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.PathCheck'
  readonly authorizer: AuthorizerValue
  readonly path: string

  constructor(authorizer: AuthorizerValue, path: string) {
    super()
    this.authorizer = authorizer
    this.path = path
  }
}

class GroupCheck extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.GroupCheck'
  readonly authorizer: AuthorizerValue
  readonly group: string

  constructor(authorizer: AuthorizerValue, group: string) {
    super()
    this.authorizer = authorizer
    this.group = group
  }
}

type CheckedResource = Omit<Parameters<typeof createResourceAction>[0], 'verb'>

class ResourceCheck extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.ResourceCheck'
  readonly authorizer: AuthorizerValue
  readonly resource: CheckedResource

  constructor(authorizer: AuthorizerValue, resource: CheckedResource) {
    super()
    this.authorizer = authorizer
    this.resource = resource
  }

  with(overrides: Partial<CheckedResource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.resource, ...overrides })
  }
}

class Decision extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.Decision'
  readonly decision: AuthorizationDecision

  constructor(decision: AuthorizationDecision) {
    super()
    this.decision = decision
  }
}

function decide({ user, check }: AuthorizerValue, action: RequestedAction): Value | Promise<Value> {
  try {
    const decision = check(user, action)
    return decision instanceof Promise ? decision.then((result) => new Decision(result), createFailedDecision) : new Decision(decision)
  } catch (error) {
    return createFailedDecision(error)
  }
}

function createFailedDecision(error: unknown): Decision {
  return new Decision({ allowed: false, reason: '', error: getErrorMessage(error) })
}

function selectServiceAccount({ check }: AuthorizerValue, namespace: string, name: string): Value {
  if (nameIsDNSSubdomain(name, false).length > 0) return new CelError('Invalid service account name')
  if (isDNS1123Label(namespace).length > 0) return new CelError('Invalid service account namespace')
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
  return new AuthorizerValue({ name: `system:serviceaccount:${namespace}:${name}`, groups }, check)
}

function narrowCheck(field: keyof CheckedResource): (check: ResourceCheck, value: string) => Value {
  return (check, value) => check.with({ [field]: value })
}

/** Authorization checks. */
export const authorization: Implementations = {
  authorizer_fieldselector: adaptTypes(narrowCheck('fieldSelector')),
  authorizer_group: adaptTypes((authorizer: AuthorizerValue, group: string) => new GroupCheck(authorizer, group)),
  authorizer_labelselector: adaptTypes(narrowCheck('labelSelector')),
  authorizer_path: adaptTypes((authorizer: AuthorizerValue, path: string) =>
    path.trim() === '' ? new CelError('path must not be empty') : new PathCheck(authorizer, path),
  ),
  authorizer_serviceaccount: adaptTypes(selectServiceAccount),
  decision_allowed: adaptTypes(({ decision }: Decision) => decision.allowed),
  decision_error: adaptTypes(({ decision }: Decision) => decision.error ?? ''),
  decision_errored: adaptTypes(({ decision }: Decision) => decision.error !== undefined),
  decision_reason: adaptTypes(({ decision }: Decision) => decision.reason),
  groupcheck_resource: adaptTypes(({ authorizer, group }: GroupCheck, resource: string) =>
    resource.trim() === '' ? new CelError('resource must not be empty') : authorizer.resource({ apiGroup: group, resource }),
  ),
  pathcheck_check: adaptTypes(({ authorizer, path }: PathCheck, verb: string) => decide(authorizer, createPathAction(verb, path))),
  resourcecheck_check: adaptTypes(({ authorizer, resource }: ResourceCheck, verb: string) =>
    decide(authorizer, createResourceAction({ ...resource, verb })),
  ),
  resourcecheck_name: adaptTypes(narrowCheck('name')),
  resourcecheck_namespace: adaptTypes(narrowCheck('namespace')),
  resourcecheck_subresource: adaptTypes(narrowCheck('subresource')),
  string_jsonpatch_escapeKey_string: adaptTypes((key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')),
}
