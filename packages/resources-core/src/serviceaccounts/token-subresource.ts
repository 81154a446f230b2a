import type { TokenRequest } from '@keelson/api/authentication/v1'
import { fieldError, fieldPath, formatTime, newConflict, newInvalid, newNotFound, systemClock } from '@keelson/apimachinery'
import type { GroupVersionKind, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { CreateRequest, NamedCreater, RESTStorage, SubresourceFactory } from '@keelson/registry'
import { findBoundObject } from './bound-object.ts'
import type { BoundObjects, ObjectLookup } from './bound-object.ts'
import { validateTokenRequest } from './validate-token-request.ts'

export const tokenRequestKind: GroupVersionKind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }
const tokenRequests = { group: tokenRequestKind.group, resource: tokenRequestKind.kind }

/** Claims of a service account token. */
export interface TokenClaims extends BoundObjects {
  readonly namespace: string
  readonly serviceAccount: { readonly name: string; readonly uid: string }
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  readonly warnAfterSeconds?: number
}

export interface TokenSubresourceOptions {
  readonly issue: (claims: TokenClaims) => Promise<string>
  /** Audiences of this server; the default for requests without audiences. */
  readonly audiences: readonly string[]
  /** Maximum lifetime; longer requests are shortened. Default: no limit. */
  readonly maxExpirationSeconds?: number
  /** Extends tokens with the lifetime that kubelets request for pods to one year. Default true. */
  readonly extendExpiration?: boolean
  /** Maximum lifetime of extended tokens. Default: one year. */
  readonly maxExtendedExpirationSeconds?: number
  readonly lookUp: ObjectLookup
  readonly now?: () => number
}

/** Lifetime in seconds that kubelets request for pod tokens. Identifies such requests. */
const kubeletExpirationSeconds = 3607
const extendedExpirationSeconds = 365 * 24 * 3600

/** POST serviceaccounts/NAME/token: issues a signed token for the service account. Nothing is stored. */
export function tokenSubresource(options: TokenSubresourceOptions): SubresourceFactory {
  return () => new TokenStorage(options)
}

class TokenStorage implements RESTStorage, NamedCreater {
  readonly gvk: GroupVersionKind = tokenRequestKind
  readonly namespaced = true
  readonly singularName = ''
  readonly shortNames: readonly string[] = []
  readonly categories: readonly string[] = []
  /** Keeps the UID in the request, which may be the UID of the service account. */
  readonly keepsSystemFields = true
  readonly #options: TokenSubresourceOptions

  constructor(options: TokenSubresourceOptions) {
    this.#options = options
  }

  async createNamed(context: RequestContext, name: string, object: KubeObject, { validate }: CreateRequest): Promise<KubeObject> {
    const { audiences, issue, lookUp, now = systemClock.now } = this.#options
    const request = object as TokenRequest
    const { metadata, spec } = request
    const { namespace } = context
    requireMatch('name', metadata.name, name, name)
    requireMatch('namespace', metadata.namespace, namespace, name)
    const account = await lookUp('serviceaccounts', namespace, name)
    if (account === undefined) throw newNotFound({ group: '', resource: 'serviceaccounts' }, name)
    const uid = account.metadata.uid!
    if (metadata.uid !== undefined && metadata.uid !== uid) {
      const message = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`
      throw newConflict(tokenRequests, name, message)
    }

    const time = now()
    Object.assign(metadata, { name, namespace, uid, creationTimestamp: formatTime(time) })
    if ((spec.audiences ?? []).length === 0) spec.audiences = [...audiences]
    delete request.status
    const errors = validateTokenRequest(request)
    if (errors.length > 0) throw newInvalid(tokenRequestKind, '', errors)
    await validate?.(request, undefined)

    const bound = spec.boundObjectRef ? await findBoundObject(spec.boundObjectRef, namespace, name, lookUp) : {}
    spec.expirationSeconds = this.#shortened(spec.expirationSeconds!, context)
    const token = await issue({
      namespace,
      serviceAccount: { name, uid },
      audiences: spec.audiences!,
      ...this.#lifetime(spec.expirationSeconds, spec.audiences!, bound),
      ...bound,
    })
    const answer: TokenRequest = {
      ...request,
      kind: tokenRequestKind.kind,
      apiVersion: `${tokenRequestKind.group}/${tokenRequestKind.version}`,
      status: { token, expirationTimestamp: formatTime(time + spec.expirationSeconds * 1000) },
    }
    return answer
  }

  #shortened(seconds: number, context: RequestContext): number {
    const { maxExpirationSeconds = 0 } = this.#options
    if (maxExpirationSeconds === 0 || seconds <= maxExpirationSeconds) return seconds
    context.warn(`requested expiration of ${seconds} seconds shortened to ${maxExpirationSeconds} seconds`)
    return maxExpirationSeconds
  }

  /**
   * Returns the lifetime of a token. Pod tokens stay valid longer than requested, for clients that only read them on start.
   * `warnAfterSeconds` detects such clients.
   */
  #lifetime(
    seconds: number,
    audiences: readonly string[],
    { pod }: BoundObjects,
  ): Pick<TokenClaims, 'expirationSeconds' | 'warnAfterSeconds'> {
    const { extendExpiration = true, audiences: serverAudiences } = this.#options
    const isFromKubelet =
      pod !== undefined && seconds === kubeletExpirationSeconds && audiences.every((audience) => serverAudiences.includes(audience))
    if (!extendExpiration || !isFromKubelet) return { expirationSeconds: seconds }
    const { maxExtendedExpirationSeconds = extendedExpirationSeconds } = this.#options
    return { expirationSeconds: Math.min(extendedExpirationSeconds, maxExtendedExpirationSeconds), warnAfterSeconds: seconds }
  }
}

/** Throws Invalid if metadata in the body differs from the URL. The metadata is optional. */
function requireMatch(member: 'name' | 'namespace', actual: string | undefined, expected: string, account: string): void {
  if (actual === undefined || actual === '' || actual === expected) return
  const error = fieldError.invalid(fieldPath('metadata').child(member), actual, `must match the service account ${member} if specified`)
  throw newInvalid(tokenRequestKind, account, [error])
}
