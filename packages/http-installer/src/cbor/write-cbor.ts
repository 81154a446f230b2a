import { parseJson } from '@keelson/apimachinery'
import { sendCompressible } from '../compress/send-compressed.ts'
import { mediaTypes } from '../negotiation/negotiate.ts'
import type { Answer } from '../routing/scope.ts'

/**
 * Encodes an object or table from its JSON. The schema of the kind tells bytes from text. The codec is our own, because Kubernetes writes strings as byte
 * strings and no library does.
 */
export function writeCbor({ exchange, scope }: Answer, status: number, json: string): void | Promise<void> {
  const { value } = parseJson(json)
  const kind = (value as { kind?: unknown }).kind
  const schema = kind === scope.gvk.kind ? scope.type?.schema : undefined
  return sendCompressible(exchange, status, { 'content-type': mediaTypes.cbor }, exchange.services.cbor!.encodeCborDocument(value, schema))
}
