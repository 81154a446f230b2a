import { decodeUnknown, encodeUnknown } from '@keelson/api'
import type { GroupVersionTypes, KindType } from '@keelson/api'
import { parseGroupVersionKind } from '@keelson/apimachinery'
import type { GroupVersionKind, JsonObject, KubeObject } from '@keelson/apimachinery'

export const protobuf = 'application/vnd.kubernetes.protobuf'

const loaded = new Map<string, Promise<GroupVersionTypes>>()

/** Finds the type of a kind. Returns undefined if the group version does not have the kind. */
export async function findKindType({ group, version, kind }: GroupVersionKind): Promise<KindType | undefined> {
  const module = `${group === '' ? 'core' : group.split('.')[0]!}/${version}`
  const { kinds } = await loadModule(kind === 'DeleteOptions' ? 'meta/v1' : module)
  return kinds.find(({ gvk }) => gvk.kind === kind)
}

function loadModule(name: string): Promise<GroupVersionTypes> {
  const loadedCodec = loaded.get(name)
  if (loadedCodec !== undefined) return loadedCodec
  const entry = `@keelson/api/${name}`
  const loading = import(/* @vite-ignore */ entry).then((module: Record<string, GroupVersionTypes>) => Object.values(module)[0]!)
  loaded.set(name, loading)
  return loading
}

/** Encodes an object as a request body. Uses JSON for all content types except protobuf, because JSON is valid YAML. */
export async function encodeBody(object: JsonObject, contentType: string): Promise<Uint8Array> {
  if (contentType !== protobuf) return Buffer.from(JSON.stringify(object))
  const { apiVersion, kind, ...rest } = object as JsonObject & { readonly apiVersion: string; readonly kind: string }
  const type = await findKindType(parseGroupVersionKind(apiVersion, kind))
  if (type === undefined) throw new Error(`no type for ${apiVersion} ${kind}`)
  return encodeUnknown(type.gvk, type.encodeProto(rest as unknown as KubeObject))
}

/**
 * Decodes an object in kube-apiserver's protobuf encoding. Throws if the bytes are invalid. For an unknown kind, the field `raw` of the
 * result contains the protobuf message in hexadecimal.
 */
export async function decodeProtobuf(bytes: Uint8Array): Promise<JsonObject> {
  const { gvk, raw } = decodeUnknown(bytes)
  const { group, version, kind } = gvk
  // APIVersions has an empty group version.
  const type = (version === '' ? undefined : await findKindType(gvk)) ?? (await findKindType({ group: 'meta.k8s.io', version: 'v1', kind }))
  const object = type === undefined ? { raw: Buffer.from(raw).toString('hex') } : (type.decodeProto(raw) as unknown as JsonObject)
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, ...object }
}
