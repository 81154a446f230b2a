import { pemBlocks as textBlocks } from '@keelson/apimachinery'

export interface PemBlock {
  readonly type: string
  readonly hasHeaders: boolean
  readonly bytes: Buffer
}

/** The blocks of a PEM text; what stands between them is nothing. */
export function pemBlocks(text: string): PemBlock[] {
  return textBlocks(text).flatMap(({ label: type, body: inner }) => {
    const lines = inner.split(/\r?\n/)
    const hasHeaders = lines[0]?.includes(':') ?? false
    const body = (hasHeaders ? lines.slice(lines.indexOf('') + 1) : lines).join('').replace(/\s/g, '')
    return /^[A-Za-z0-9+/]*={0,2}$/.test(body) ? [{ type, hasHeaders, bytes: Buffer.from(body, 'base64') }] : []
  })
}
