import { parseInAdvance } from '@keelson/registry'
import type { SentBody } from '@keelson/registry'
import type { Exchange } from '@keelson/exchange'

/** A request's body for the registry to decode. A promise if it is a long YAML text, which is parsed in advance. */
export function sentBody(exchange: Exchange, { form, bytes }: Pick<SentBody, 'form' | 'bytes'>): SentBody | Promise<SentBody> {
  return parseInAdvance({ form, bytes, cbor: exchange.services.cbor }, exchange)
}
