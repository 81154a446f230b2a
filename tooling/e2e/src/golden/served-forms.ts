import type { JsonObject, ObjectMeta } from '@keelson/apimachinery'
import type { Http2Client } from '../http2-client.ts'
import { encodeBody, protobuf } from '../encode-body.ts'

const json = 'application/json'
export const forms = { json, protobuf } as const

export type ServedObject = JsonObject & { readonly kind: string; readonly apiVersion: string; readonly metadata: ObjectMeta }

export interface Served {
  readonly code: number
  readonly body: ServedObject
}

/** Sends a request whose body has any content type. The response is JSON. */
export async function ask(
  client: Http2Client,
  method: string,
  path: string,
  sent?: { readonly object: ServedObject; readonly form: string },
): Promise<Served> {
  const { status, body } = await client.request(method, path, {
    headers: { accept: json, ...(sent && { 'content-type': sent.form }) },
    ...(sent && { body: await encodeBody(sent.object, sent.form) }),
  })
  return { code: status, body: JSON.parse(body.toString()) as ServedObject }
}

/** Converts an object to the form in which a client would send it, without values that only the server sets. */
export function toClientObject(object: JsonObject, namespace: string | undefined): ServedObject {
  const { metadata = {}, ...rest } = structuredClone(object) as ServedObject
  const { name, labels, annotations } = metadata
  const sent = {
    ...rest,
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
  } as unknown as ServedObject
  removeAllocatedValues(sent)
  return sent
}

/**
 * Removes values that the server allocates. The labels and the selector of a Job contain its uid. The addresses and ports of a Service may
 * now belong to another Service, and dry runs do not check this.
 */
function removeAllocatedValues({ kind, metadata, ...rest }: ServedObject): void {
  const spec = rest['spec'] as JsonObject | undefined
  if (spec === undefined) return
  if (kind === 'Service' && spec['clusterIP'] !== 'None') for (const key of ['clusterIP', 'clusterIPs']) delete spec[key]
  if (kind === 'Service') for (const port of (spec['ports'] ?? []) as JsonObject[]) delete port['nodePort']
  if (kind !== 'Job') return
  delete spec['selector']
  const template = spec['template'] as { readonly metadata?: ObjectMeta }
  for (const { labels = {} } of [metadata, template.metadata ?? {}])
    for (const key of Object.keys(labels)) if (key.endsWith('controller-uid')) delete labels[key]
}

const chosen: ReadonlySet<string> = new Set([
  'clusterIP',
  'clusterIPs',
  'nodePort',
  'healthCheckNodePort',
  'resourceVersion',
  'managedFields',
])
const forEachTime: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/kube-api-access-\w{5}/g, 'kube-api-access'],
]

/** Removes values that differ in each run: uids, resource versions, times, addresses, ports, and the random part of volume names. */
export function removeVariableValues(served: Served): JsonObject {
  const text = JSON.stringify(served, (key, value: unknown) => (chosen.has(key) ? undefined : value))
  return JSON.parse(forEachTime.reduce((changed, [form, instead]) => changed.replaceAll(form, instead), text)) as JsonObject
}

/** Reads an object as JSON and as protobuf. Returns the object decoded from protobuf, and the protobuf encoding of the JSON object. */
export async function readBothEncodings(
  client: Http2Client,
  path: string,
): Promise<{ readonly served: Buffer; readonly encoded: Buffer; readonly object: Served }> {
  const object = await ask(client, 'GET', path)
  const { body } = await client.request('GET', path, { headers: { accept: protobuf } })
  return { served: body, encoded: Buffer.from(await encodeBody(object.body, protobuf)), object }
}
