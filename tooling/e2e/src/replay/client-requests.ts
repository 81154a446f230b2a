import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { sharedDirectory } from '../repository-root.ts'

/** A shape of request that somebody's client made of the original; what differed between such requests is `{ns}`, `{name}` and `…`. */
export interface ClientRequest {
  readonly client: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly accept: string
  readonly contentType: string
  readonly http: string
  /** Answer code → how often. */
  readonly codes: Readonly<Record<string, number>>
}

const recorded = path.join(sharedDirectory, 'reference/client-requests.json')

/** Undefined where the recordings are absent. */
export function readClientRequests(): readonly ClientRequest[] | undefined {
  return existsSync(recorded) ? (JSON.parse(readFileSync(recorded, 'utf8')) as ClientRequest[]) : undefined
}

/** What has to be there first, by the beginning of the path; `docs/compatibility.md` has the same list. */
export const laterShapes: Readonly<Record<string, string>> = {
  '/apis/apiextensions.k8s.io/': 'custom resource definitions',
  '/apis/apiregistration.k8s.io/': 'API services',
}

export interface Target {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly isNamespaced: boolean
  readonly isNamed: boolean
  readonly subresource: string | undefined
  /** Of the collection; `{ns}` stands in it. */
  readonly collection: string
}

const resourcePath = /^(\/api\/|\/apis\/([^/]+)\/)([^/]+)(\/namespaces\/\{ns\})?\/([^/{]+)(\/\{name\})?(?:\/([^/]+))?$/

/** Undefined for what is no resource (discovery, OpenAPI, health). */
export function targetOf({ path: whole }: Pick<ClientRequest, 'path'>): Target | undefined {
  // A namespace's own subresources were recorded as if they were of something in it.
  const own = /^\/api\/v1\/namespaces\/\{ns\}\/(finalize|status)$/.exec(whole)?.[1]
  const match = resourcePath.exec(own === undefined ? whole : `/api/v1/namespaces/{name}/${own}`)
  if (match === null) return undefined
  const [, root = '', group = '', version = '', namespace, plural = '', name, subresource] = match
  return {
    group,
    version,
    plural,
    isNamespaced: namespace !== undefined,
    isNamed: name !== undefined,
    subresource,
    collection: `${root}${version}${namespace ?? ''}/${plural}`,
  }
}
