import { parseJson } from '@keelson/apimachinery'
import { sendCompressible } from '../compress/send-compressed.ts'
import { mediaTypes } from '../negotiation/negotiate.ts'
import type { Answer } from '../routing/scope.ts'

/**
 * One object or table, of which there is JSON. The schema of the kind tells bytes from text. The codec is written by hand, for Kubernetes' dialect of CBOR:
 * strings are byte strings, and no library writes them so.
 */
export function writeCbor({ exchange, scope }: Answer, status: number, json: string): void | Promise<void> {
  const { value } = parseJson(json)
  const kind = (value as { kind?: unknown }).kind
  const schema = kind === scope.gvk.kind ? scope.type?.schema : undefined
  return sendCompressible(exchange, status, { 'content-type': mediaTypes.cbor }, exchange.services.cbor!.encodeCborDocument(value, schema))
}
