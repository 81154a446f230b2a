import type { BoundObjectReference } from '@keelson/api/authentication/v1'
import type { Pod } from '@keelson/api/core/v1'
import { newBadRequest, newConflict, newNotFound } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'

/** Function that reads an object of core/v1. Returns undefined if the object does not exist. `namespace` is "" for nodes. */
export type ObjectLookup = (
  resource: 'serviceaccounts' | 'pods' | 'secrets' | 'nodes',
  namespace: string,
  name: string,
) => Promise<DeepReadonly<KubeObject> | undefined>

interface Reference {
  readonly name: string
  readonly uid?: string
}

/**
 * Objects to which a service account token is bound. The token becomes invalid when one of these objects is deleted. The node of a bound
 * pod is only informational.
 */
export interface BoundObjects {
  readonly pod?: Reference
  readonly secret?: Reference
  readonly node?: Reference
}

const resources = { Pod: 'pods', Node: 'nodes', Secret: 'secrets' } as const

/** Finds the object to which a token is bound. Throws ApiError if it does not exist, has another UID, or is of an unsupported kind. */
export async function findBoundObject(
  reference: DeepReadonly<BoundObjectReference>,
  namespace: string,
  account: string,
  lookUp: ObjectLookup,
): Promise<BoundObjects> {
  const { apiVersion = '', kind = '', name = '', uid } = reference
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  const resource = group === '' ? resources[kind as keyof typeof resources] : undefined
  if (resource === undefined) {
    const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
    throw newBadRequest(`cannot bind token to object of type ${groupVersion}, Kind=${kind}`)
  }
  const object = await lookUp(resource, resource === 'nodes' ? '' : namespace, name)
  if (object === undefined) throw newNotFound({ group: '', resource }, name)
  const boundObject = { name, uid: object.metadata.uid! }
  const bound: BoundObjects = resource === 'pods' ? await findPodNode(object, account, lookUp) : {}
  if (uid && uid !== boundObject.uid) {
    const message = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
    throw newConflict({ group, resource: kind }, name, message)
  }
  return { [kind.toLowerCase()]: boundObject, ...bound }
}

async function findPodNode({ spec }: DeepReadonly<Pod>, account: string, lookUp: ObjectLookup): Promise<BoundObjects> {
  if (spec?.serviceAccountName !== account) {
    throw newBadRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    )
  }
  if (!spec.nodeName) return {}
  const node = await lookUp('nodes', '', spec.nodeName)
  return { node: { name: spec.nodeName, ...(node?.metadata.uid && { uid: node.metadata.uid }) } }
}
