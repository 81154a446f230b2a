import { newNotAcceptable, parseJson, stringifyJson } from '@keelson/apimachinery'
import type { GroupVersionKind, KubeObject } from '@keelson/apimachinery'
import { toYaml } from '@keelson/apimachinery/yaml'
import { encodeUnknown } from '@keelson/api'
import type { KindType } from '@keelson/api'
import type { RestResult } from '@keelson/registry'
import { isStoredObject } from '@keelson/storagebackend'
import type { StoredObject } from '@keelson/storagebackend'
import { indentJson } from './indent-json.ts'
import { mediaTypes } from '../negotiation/negotiate.ts'
import type { MediaForm } from '../negotiation/negotiate.ts'

/** Encodings that `ObjectEncoder` supports. CBOR is missing, because `writeCbor` converts it from JSON. */
export type ObjectForm = Exclude<MediaForm, 'cbor'>
import type { ServedResource } from '../routing/served-resource.ts'
import { spliceObject, untypedHead } from './splice.ts'
import { encodeTypedJson, fromHub } from '@keelson/registry'
import { toVersioned } from './rest-result.ts'

/** Encodes an object with kind and apiVersion. Used if the stored bytes cannot be copied. */
export function encodeTyped(
  form: ObjectForm,
  gvk: GroupVersionKind,
  type: KindType | undefined,
  object: KubeObject,
  pretty: boolean,
): Buffer {
  if (form === 'protobuf') {
    if (type === undefined) throw newNotAcceptable([mediaTypes.json, mediaTypes.yaml])
    return wrapInBuffer(encodeUnknown(gvk, type.encodeProto(object)))
  }
  const text = encodeTypedJson(gvk, type, object)
  return Buffer.from(shapeJson(text, form, pretty))
}

/** Converts compact JSON to indented JSON or YAML, if requested. */
export function shapeJson(json: string, form: 'json' | 'yaml', pretty: boolean): string {
  if (form === 'yaml') return toYaml(parseJson(json).value)
  return pretty ? indentJson(json) : `${json}\n`
}

/** Encodes the objects of one resource in one encoding. */
export class ObjectEncoder {
  readonly form: ObjectForm
  readonly pretty: boolean
  readonly #served: ServedResource

  constructor(served: ServedResource, form: ObjectForm, pretty: boolean) {
    this.#served = served
    this.form = form
    this.pretty = pretty
  }

  /** True if stored bytes can be copied without decoding. */
  get splices(): boolean {
    return this.#served.servesHub && this.form === 'json' && !this.pretty
  }

  /** Encodes the object of a complete response. JSON ends with a line feed unless it is indented. */
  whole(result: RestResult): Buffer {
    if (this.#served.servesHub && this.form !== 'protobuf' && isStoredObject(result)) {
      if (this.splices) return spliceObject(this.#served.head, result, lineFeed)
      return Buffer.from(shapeJson(spliceObject(this.#served.head, result).toString(), this.form, this.pretty))
    }
    if (this.form === 'protobuf' && isStoredObject(result)) return wrapInBuffer(encodeUnknown(this.#served.gvk, this.message(result)))
    const { gvk, object } = toVersioned(this.#served, result)
    const type = gvk === this.#served.gvk ? this.#served.type : this.#served.types.kind(gvk)
    return encodeTyped(this.form, gvk, type, object, this.pretty)
  }

  /** Encodes an object in JSON with its kind. It has no line feed, so that it can be embedded in another document. */
  embedded(result: RestResult): Buffer {
    if (this.#served.servesHub && isStoredObject(result)) return spliceObject(this.#served.head, result)
    const { gvk, object } = toVersioned(this.#served, result)
    return Buffer.from(encodeTypedJson(gvk, this.#served.type, object))
  }

  /** Encodes an item of a typed list in JSON. Only items of custom resources have a kind. */
  item(object: StoredObject): Buffer {
    if (this.#served.servesHub) return spliceObject(this.#served.itemHead, object)
    if (this.#served.itemHead !== untypedHead) return this.embedded(object)
    return Buffer.from(stringifyJson(fromHub(this.#served, object.copy())))
  }

  /** Encodes an object as a protobuf message without the `k8s\0` envelope. */
  message(object: StoredObject | KubeObject): Uint8Array {
    const { type, messages } = this.#served
    if (type === undefined) throw newNotAcceptable([mediaTypes.json, mediaTypes.yaml])
    if (!isStoredObject(object)) return type.encodeProto(toVersioned(this.#served, object).object)
    const cached = messages.get(object)
    if (cached !== undefined) return cached
    const message = type.encodeProto(toVersioned(this.#served, object).object)
    messages.offer(object, message)
    return message
  }
}

export const lineFeed: Buffer = Buffer.from('\n')

export function wrapInBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
