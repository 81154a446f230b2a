import { parseInAdvance } from '@keelson/registry'
import type { SentBody } from '@keelson/registry'
import type { RequestContext } from '@keelson/apimachinery'
import type { InstallerContext } from './context.ts'

/** A request's body for the registry to decode. A promise if it is a long YAML text, which is parsed in advance. */
export function sentBody(
  c: InstallerContext,
  context: RequestContext,
  { form, bytes }: Pick<SentBody, 'form' | 'bytes'>,
): SentBody | Promise<SentBody> {
  return parseInAdvance({ form, bytes, cbor: c.env?.cbor }, context)
}
