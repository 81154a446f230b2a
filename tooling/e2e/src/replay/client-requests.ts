import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { sharedDirectory } from '../repository-root.ts'

/** A recorded request of a client to kube-apiserver. Variable parts are replaced by `{ns}`, `{name}` and `…`. */
export interface ClientRequest {
  readonly client: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly accept: string
  readonly contentType: string
  readonly http: string
  /** Number of responses by status code. */
  readonly codes: Readonly<Record<string, number>>
}

const recorded = path.join(sharedDirectory, 'reference/client-requests.json')

/** Reads the recorded requests. Returns undefined if there are no recordings. */
export function readClientRequests(): readonly ClientRequest[] | undefined {
  return existsSync(recorded) ? (JSON.parse(readFileSync(recorded, 'utf8')) as ClientRequest[]) : undefined
}

export interface Target {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly isNamespaced: boolean
  readonly isNamed: boolean
  readonly subresource: string | undefined
  /** Path of the collection. Contains the placeholder `{ns}` if the resource is namespaced. */
  readonly collection: string
}

const resourcePath = /^(\/api\/|\/apis\/([^/]+)\/)([^/]+)(\/namespaces\/\{ns\})?\/([^/{]+)(\/\{name\})?(?:\/([^/]+))?$/

/** Parses the path of a recorded request. Returns undefined for paths that are not resources, such as discovery, OpenAPI and health. */
export function parseTarget({ path: whole }: Pick<ClientRequest, 'path'>): Target | undefined {
  // The path of a namespace's subresource looks like a resource in that namespace, so it is a special case.
  const namespaceSubresource = /^\/api\/v1\/namespaces\/\{ns\}\/(finalize|status)$/.exec(whole)?.[1]
  const match = resourcePath.exec(namespaceSubresource === undefined ? whole : `/api/v1/namespaces/{name}/${namespaceSubresource}`)
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
