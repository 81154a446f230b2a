import { newNotAcceptable } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { encodeUnknown } from '@keelson/api'
import { toYaml } from '@keelson/apimachinery/yaml'
import { sendBytes } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'
import { metaType } from '../encoding/meta-types.ts'
import { formsOf, mediaTypes, prefersPretty, tryNegotiate } from '../negotiation/negotiate.ts'

/** A discovery document in the negotiated encoding. The two oldest kinds have no apiVersion. */
export function metaDocument(exchange: Exchange, kind: string, body: object, withVersion = true): void {
  const negotiated = tryNegotiate(exchange, 'error')
  if (negotiated === undefined) throw newNotAcceptable(formsOf(exchange).mediaTypes)
  const headers = { 'content-type': mediaTypes[negotiated.form] }
  const document = { kind, ...(withVersion ? { apiVersion: 'v1' } : undefined), ...body }
  switch (negotiated.form) {
    case 'json': {
      const pretty = negotiated.pretty || prefersPretty(exchange.query, exchange.userAgent)
      return sendBytes(exchange, 200, headers, pretty ? JSON.stringify(document, undefined, 2) : `${JSON.stringify(document)}\n`)
    }
    case 'yaml':
      return sendBytes(exchange, 200, headers, toYaml(document))
    case 'cbor':
      return sendBytes(exchange, 200, headers, exchange.services.cbor!.encodeCborDocument(document))
    case 'protobuf': {
      const gvk = { group: '', version: withVersion ? 'v1' : '', kind }
      return sendBytes(exchange, 200, headers, encodeUnknown(gvk, metaType(kind).encodeProto(body as unknown as KubeObject)))
    }
  }
}
