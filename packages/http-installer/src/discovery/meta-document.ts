import type { KubeObject } from '@keelson/apimachinery'
import { encodeUnknown } from '@keelson/api'
import { toYaml } from '@keelson/apimachinery/yaml'
import type { InstallerContext } from '../context.ts'
import { metaType } from '../meta-types.ts'
import { formsOf, mediaTypes, prefersPretty, tryNegotiate } from '../negotiate.ts'
import { sendBytes } from '../response.ts'
import { newNotAcceptable } from '@keelson/apimachinery'
import { queryOf } from '../write-error.ts'

/** A document of discovery, in whichever form is asked for. The two oldest of them are written without apiVersion. */
export function metaDocument(c: InstallerContext, kind: string, body: object, withVersion = true): Response {
  const negotiated = tryNegotiate(c, 'error')
  if (negotiated === undefined) throw newNotAcceptable(formsOf(c).mediaTypes)
  const headers = { 'content-type': mediaTypes[negotiated.form] }
  const document = { kind, ...(withVersion ? { apiVersion: 'v1' } : undefined), ...body }
  switch (negotiated.form) {
    case 'json': {
      const pretty = negotiated.pretty || prefersPretty(queryOf(c), c.req.header('user-agent') ?? '')
      return sendBytes(c, 200, headers, pretty ? JSON.stringify(document, undefined, 2) : `${JSON.stringify(document)}\n`)
    }
    case 'yaml':
      return sendBytes(c, 200, headers, toYaml(document))
    case 'cbor':
      return sendBytes(c, 200, headers, c.env.cbor!.encodeCborDocument(document))
    case 'protobuf': {
      const gvk = { group: '', version: withVersion ? 'v1' : '', kind }
      return sendBytes(c, 200, headers, encodeUnknown(gvk, metaType(kind).encodeProto(body as unknown as KubeObject)))
    }
  }
}
