import type { JsonObject } from '@keelson/apimachinery'
import type { Http2Answer, Http2Client } from '../http2-client.ts'
import { encodeBody } from '../encode-body.ts'
import { parseTarget } from './client-requests.ts'
import type { ClientRequest, Target } from './client-requests.ts'
import { sampleObject, samplePatch, samplePosted } from './sample-objects.ts'
import type { Placed } from './sample-objects.ts'

let made = 0

/** Returns a unique name for an object or namespace, so that deletes affect only their own request. */
function newName(): string {
  made += 1
  return `replay-${made}`
}

/** Prepares the situation in which kube-apiserver returned `code`, and sends a request of this shape. */
export async function replayShape(client: Http2Client, shape: ClientRequest, code: number): Promise<Http2Answer> {
  const target = parseTarget(shape)
  if (target === undefined) return replayDocument(client, shape, code)
  const { group, version, plural, isNamespaced } = target
  const namespace = isNamespaced ? { namespace: await makeNamespace(client) } : {}
  const placed: Placed = { group, version, plural, name: newName(), ...namespace }
  const path = buildPath(target, placed)
  const isCreated = (shape.method === 'POST' && target.subresource === undefined) || shape.contentType.startsWith('application/apply-patch')
  const isThere = target.isNamed || shape.method === 'DELETE' ? code !== 404 && !isCreated : code === 409
  if (isThere) await create(client, target.collection, placed)
  // Nothing can be created in a namespace that is being deleted.
  if (code === 403) await client.request('DELETE', `/api/v1/namespaces/${placed.namespace}`)
  return send(client, shape, path, await buildBody(client, { shape, target, placed, path, code }))
}

interface Situation {
  readonly shape: ClientRequest
  readonly target: Target
  readonly placed: Placed
  readonly path: string
  readonly code: number
}

async function buildBody(client: Http2Client, { shape, target, placed, path, code }: Situation): Promise<Uint8Array | undefined> {
  const { method, contentType } = shape
  const { subresource } = target
  if (method === 'GET') return undefined
  if (method === 'DELETE') return encodeBody({ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' }, contentType)
  if (method === 'POST')
    return encodeBody(subresource === undefined ? sampleObject(placed) : samplePosted(placed, subresource), contentType)
  if (method === 'PATCH')
    return encodeBody(
      contentType.startsWith('application/apply-patch') ? sampleObject(placed) : samplePatch(placed, subresource),
      contentType,
    )
  // A PUT sends the object it has read. To cause a conflict, the object is changed in between.
  const { body } = await client.request('GET', subresource === 'finalize' ? path.replace(/\/finalize$/, '') : path, {
    headers: { accept: contentType },
  })
  if (code === 409) await change(client, path)
  return body
}

function buildPath({ collection, isNamed, subresource }: Target, { name, namespace }: Placed): string {
  return `${collection.replace('{ns}', namespace ?? '')}${isNamed ? `/${name}` : ''}${subresource === undefined ? '' : `/${subresource}`}`
}

/** Also creates the service account that pods need. */
async function makeNamespace(client: Http2Client): Promise<string> {
  const name = newName()
  await create(client, '/api/v1/namespaces', { ...core, plural: 'namespaces', name })
  await create(client, '/api/v1/namespaces/{ns}/serviceaccounts', { ...core, plural: 'serviceaccounts', name: 'default', namespace: name })
  return name
}

const core = { group: '', version: 'v1' }

async function create(client: Http2Client, collection: string, placed: Placed): Promise<void> {
  const { status, body } = await client.request('POST', collection.replace('{ns}', placed.namespace ?? ''), {
    body: await encodeBody(sampleObject(placed), 'application/json'),
    headers: { 'content-type': 'application/json' },
  })
  if (status !== 201) throw new Error(`${collection}: creating the sample returned ${status}: ${body.toString()}`)
}

async function change(client: Http2Client, path: string): Promise<void> {
  const { status } = await client.request('PATCH', path, {
    body: Buffer.from(JSON.stringify({ metadata: { annotations: { changed: 'meanwhile' } } } satisfies JsonObject)),
    headers: { 'content-type': 'application/merge-patch+json' },
  })
  if (status !== 200) throw new Error(`${path}: the change returned ${status}`)
}

async function replayDocument(client: Http2Client, shape: ClientRequest, code: number): Promise<Http2Answer> {
  const first = await send(client, shape, shape.path, undefined)
  if (code !== 304) return first
  return send(client, shape, shape.path, undefined, { 'if-none-match': String(first.headers.etag) })
}

async function send(
  client: Http2Client,
  shape: ClientRequest,
  path: string,
  body: Uint8Array | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<Http2Answer> {
  if (shape.http !== '2.0') throw new Error(`no client for HTTP/${shape.http}`)
  const query = await buildQuery(client, shape)
  return client.request(shape.method, query === '' ? path : `${path}?${query}`, {
    headers: { accept: shape.accept, ...(shape.contentType !== '' && { 'content-type': shape.contentType }), ...more },
    firstBytesOnly: query.includes('watch=true'),
    ...(body !== undefined && { body }),
  })
}

const left: Readonly<Record<string, string>> = { timeout: '10s', timeoutSeconds: '60', fieldManager: 'replay' }

/** Fills the variable parts of the recorded query. The hash of a document is the served one. */
async function buildQuery(client: Http2Client, { query, path }: ClientRequest): Promise<string> {
  const parts = query.split('&').filter(Boolean)
  const filled = parts.map(async (part) => {
    const [name = '', value = ''] = part.split('=')
    if (name === 'hash') return `hash=${await documentHash(client, path)}`
    return `${name}=${value.replace('…', left[name] ?? 'replayed')}`
  })
  return (await Promise.all(filled)).join('&')
}

async function documentHash(client: Http2Client, path: string): Promise<string> {
  const { body } = await client.request('GET', '/openapi/v3', { headers: { accept: 'application/json' } })
  const { paths } = JSON.parse(body.toString()) as { readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> }
  return /hash=([^&]+)/.exec(paths[path.replace('/openapi/v3/', '')]?.serverRelativeURL ?? '')?.[1] ?? ''
}
