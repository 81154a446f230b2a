import { expect, vi } from 'vitest'
import type { JsonObject } from '@keelson/apimachinery'
import type { Http2Answer, Http2Client } from '../http2-client.ts'
import { encodeBody } from '../encode-body.ts'
import { parseTarget } from './client-requests.ts'
import type { ClientRequest, Target } from './client-requests.ts'
import { findSender } from './senders.ts'
import type { Sender } from './senders.ts'
import { sampleObject, samplePatch, samplePosted } from './sample-objects.ts'
import type { Placed } from './sample-objects.ts'

let createdObjects = 0
const madeNames = 'replay-'

/**
 * Returns a unique name for an object or a namespace. Each replayed request uses its own objects, so that deletes do not affect other
 * requests.
 */
function newName(): string {
  createdObjects += 1
  return `${madeNames}${createdObjects}`
}

/** Prepares the situation in which kube-apiserver returned `code`, and sends a request of this shape as the component that was recorded. */
export async function replayShape(client: Http2Client, shape: ClientRequest, code: number): Promise<Http2Answer> {
  const target = parseTarget(shape)
  const ownName = newName()
  const sender = findSender(shape, ownName)
  if (target === undefined) return replayDocument(client, { shape, sender }, code)
  const { group, version, plural, isNamespaced } = target
  const namespace = isNamespaced ? { namespace: sender?.namespace ?? (await makeNamespace(client)) } : {}
  const placed: Placed = { group, version, plural, name: sender?.name ?? ownName, ...namespace }
  const path = buildPath(target, placed)
  const isCreated = (shape.method === 'POST' && target.subresource === undefined) || shape.contentType.startsWith('application/apply-patch')
  const isThere = target.isNamed || shape.method === 'DELETE' ? code !== 404 && !isCreated : code === 409
  const isKubelet = shape.client === 'hollow-kubelet'
  if (isKubelet && namespace.namespace !== undefined && plural !== 'leases') await runPod(client, placed)
  else if (isThere) await create(client, target.collection, placed)
  // Nothing can be created in a namespace that is being deleted.
  if (code === 403) await client.request('DELETE', `/api/v1/namespaces/${placed.namespace}`)
  const body = await buildBody(client, { shape, target, placed, path, code })
  const request = { shape, sender, path, ...(body && { body }), selected: sender?.name ?? 'replayed' }
  return sender?.name === undefined || code !== 404 ? send(client, request) : sendWithout(client, request)
}

/** Deletes an object that the server creates again when it is missing, and sends the request before the object exists again. */
async function sendWithout(client: Http2Client, request: Sent): Promise<Http2Answer> {
  for (let tries = 0; ; tries++) {
    await client.request('DELETE', request.path)
    const answer = await send(client, request)
    if (answer.status !== 200 || tries === 20) return answer
  }
}

interface Situation {
  readonly shape: ClientRequest
  readonly target: Target
  readonly placed: Placed
  readonly path: string
  readonly code: number
}

/** A request that is ready to be sent. */
interface Sent {
  readonly shape: ClientRequest
  readonly sender: Sender | undefined
  readonly path: string
  readonly body?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** Object name that replaces the variable name in the query. */
  readonly selected?: string
}

async function buildBody(client: Http2Client, { shape, target, placed, path, code }: Situation): Promise<Uint8Array | undefined> {
  const { method, contentType } = shape
  const { subresource } = target
  if (method === 'GET') return undefined
  if (method === 'DELETE') return encodeBody({ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' }, contentType)
  if (method === 'POST')
    return encodeBody(
      subresource === undefined ? sampleObject(placed) : await buildPosted(client, { shape, placed, subresource }),
      contentType,
    )
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

interface Posted {
  readonly shape: ClientRequest
  readonly placed: Placed
  readonly subresource: string
}

/** Returns the body of a POST. For a TokenRequest of a kubelet, it binds the token to a pod. */
async function buildPosted(client: Http2Client, { shape, placed, subresource }: Posted): Promise<JsonObject> {
  const posted = samplePosted(placed, subresource)
  if (shape.client !== 'hollow-kubelet' || subresource !== 'token') return posted
  const { body } = await client.request('GET', `/api/v1/namespaces/${placed.namespace}/pods/${placed.name}`)
  const { metadata } = JSON.parse(body.toString()) as { readonly metadata: { readonly uid: string } }
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: placed.name, uid: metadata.uid }
  return { ...posted, spec: { ...(posted['spec'] as JsonObject), boundObjectRef } }
}

function buildPath({ collection, isNamed, subresource }: Target, { name, namespace }: Placed): string {
  return `${collection.replace('{ns}', namespace ?? '')}${isNamed ? `/${name}` : ''}${subresource === undefined ? '' : `/${subresource}`}`
}

/** Creates a namespace with the service account that pods need. */
async function makeNamespace(client: Http2Client): Promise<string> {
  const name = newName()
  await create(client, '/api/v1/namespaces', { ...core, plural: 'namespaces', name })
  await create(client, '/api/v1/namespaces/{ns}/serviceaccounts', { ...core, plural: 'serviceaccounts', name: 'default', namespace: name })
  return name
}

const core = { group: '', version: 'v1' }

/** Creates a sample object. Accepts that it exists already, because some objects have well-known names. */
async function create(client: Http2Client, collection: string, placed: Placed, more: JsonObject = {}): Promise<void> {
  const { status, body } = await client.request('POST', collection.replace('{ns}', placed.namespace ?? ''), {
    body: await encodeBody({ ...sampleObject(placed), ...more }, 'application/json'),
    headers: { 'content-type': 'application/json' },
  })
  const isWellKnown = !placed.name.startsWith(madeNames) && status === 409
  if (status !== 201 && !isWellKnown) throw new Error(`${collection}: creating the sample returned ${status}: ${body.toString()}`)
}

/**
 * Creates a pod on the node of the same name. The pod uses the service account and the ConfigMap of the same name. Waits until the node is
 * allowed to read them.
 */
async function runPod(client: Http2Client, { name, namespace = '' }: Placed): Promise<void> {
  const createInNamespace = (plural: string, more?: JsonObject): Promise<void> =>
    create(client, `/api/v1/namespaces/{ns}/${plural}`, { ...core, plural, name, namespace }, more)
  await createInNamespace('serviceaccounts')
  await createInNamespace('configmaps')
  await createInNamespace('pods', {
    spec: {
      nodeName: name,
      serviceAccountName: name,
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', configMap: { name } }],
    },
  })
  const spec = {
    user: `system:node:${name}`,
    groups: ['system:nodes'],
    resourceAttributes: { verb: 'get', resource: 'configmaps', namespace, name },
  }
  const review = JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec })
  await vi.waitFor(async () => {
    const { body } = await client.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      body: Buffer.from(review),
      headers: { 'content-type': 'application/json' },
    })
    expect(body.toString()).toContain('"allowed":true')
  })
}

async function change(client: Http2Client, path: string): Promise<void> {
  const { status } = await client.request('PATCH', path, {
    body: Buffer.from(JSON.stringify({ metadata: { annotations: { changed: 'meanwhile' } } } satisfies JsonObject)),
    headers: { 'content-type': 'application/merge-patch+json' },
  })
  if (status !== 200) throw new Error(`${path}: the change returned ${status}`)
}

async function replayDocument(client: Http2Client, { shape, sender }: Omit<Sent, 'path'>, code: number): Promise<Http2Answer> {
  const { path } = shape
  const first = await send(client, { shape, sender, path })
  if (code !== 304) return first
  return send(client, { shape, sender, path, headers: { 'if-none-match': String(first.headers.etag) } })
}

async function send(client: Http2Client, { shape, sender, path, body, headers, selected = 'replayed' }: Sent): Promise<Http2Answer> {
  if (shape.http !== '2.0') throw new Error(`no client for HTTP/${shape.http}`)
  const query = await buildQuery(client, shape, selected)
  return client.request(shape.method, query === '' ? path : `${path}?${query}`, {
    headers: {
      accept: shape.accept,
      ...(shape.contentType !== '' && { 'content-type': shape.contentType }),
      ...(sender && impersonate(sender)),
      ...headers,
    },
    firstBytesOnly: query.includes('watch=true'),
    ...(body !== undefined && { body }),
  })
}

/**
 * Returns the impersonation headers for a sender. Leaves out groups of service accounts and authenticated users, because the server adds
 * these groups.
 */
function impersonate({ user, groups }: Sender): Record<string, string> {
  return { 'impersonate-user': user, ...(groups && { 'impersonate-group': groups.join() }) }
}

const queryValues: Readonly<Record<string, string>> = { timeout: '10s', timeoutSeconds: '60', fieldManager: 'replay' }

/** Returns the recorded query with values for its variable parts. The hash of an OpenAPI document is read from the server. */
async function buildQuery(client: Http2Client, { query, path }: ClientRequest, selected: string): Promise<string> {
  const parts = query.split('&').filter(Boolean)
  const filled = parts.map(async (part) => {
    const [name = '', value = ''] = part.split('=')
    if (name === 'hash') return `hash=${await readDocumentHash(client, path)}`
    return `${name}=${value.replace('…', queryValues[name] ?? selected)}`
  })
  return (await Promise.all(filled)).join('&')
}

async function readDocumentHash(client: Http2Client, path: string): Promise<string> {
  const { body } = await client.request('GET', '/openapi/v3', { headers: { accept: 'application/json' } })
  const { paths } = JSON.parse(body.toString()) as { readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> }
  return /hash=([^&]+)/.exec(paths[path.replace('/openapi/v3/', '')]?.serverRelativeURL ?? '')?.[1] ?? ''
}
