import { parsePemBlocks as splitPemBlocks } from '@keelson/apimachinery'

export interface PemBlock {
  readonly type: string
  readonly hasHeaders: boolean
  readonly bytes: Buffer
}

/** Parses the PEM blocks in a string. Ignores anything between them. */
export function parsePemBlocks(text: string): PemBlock[] {
  return splitPemBlocks(text).flatMap(({ label: type, body: content }) => {
    const lines = content.split(/\r?\n/)
    const hasHeaders = lines[0]?.includes(':') ?? false
    const body = (hasHeaders ? lines.slice(lines.indexOf('') + 1) : lines).join('').replace(/\s/g, '')
    return /^[A-Za-z0-9+/]*={0,2}$/.test(body) ? [{ type, hasHeaders, bytes: Buffer.from(body, 'base64') }] : []
  })
}
