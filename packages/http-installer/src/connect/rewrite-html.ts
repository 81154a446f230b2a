import { Transform } from 'node:stream'
import type { IncomingHttpHeaders } from 'node:http'
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw } from 'node:zlib'
import { parseMediaType } from '@keelson/exchange'
import type { LinkRewriter } from './rewrite-links.ts'

/**
 * Returns streams that rewrite the links of an HTML page, so that they go through this server's proxy. Returns undefined if the response is
 * not HTML or has an unknown content encoding.
 */
export function rewriteHtml(headers: IncomingHttpHeaders, links: LinkRewriter): Transform[] | undefined {
  const type = parseMediaType(headers['content-type'])
  if (type !== 'text/html' || headers.location !== undefined) return undefined
  switch (headers['content-encoding'] ?? '') {
    case '':
      return [new TagRewriter(links)]
    case 'gzip':
      return [createGunzip(), new TagRewriter(links), createGzip()]
    case 'deflate':
      return [createInflateRaw(), new TagRewriter(links), createDeflateRaw()]
    default:
      return undefined
  }
}

/** Maximum length of a tag that is rewritten. Longer tags are copied unchanged. */
const maxTag = 64 * 1024

/** Attributes that contain a URL, by element. */
const urlAttributes: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    a: ['href'],
    applet: ['codebase'],
    area: ['href'],
    audio: ['src'],
    base: ['href'],
    blockquote: ['cite'],
    body: ['background'],
    button: ['formaction'],
    command: ['icon'],
    del: ['cite'],
    embed: ['src'],
    form: ['action'],
    frame: ['longdesc', 'src'],
    head: ['profile'],
    html: ['manifest'],
    iframe: ['longdesc', 'src'],
    img: ['longdesc', 'src', 'usemap'],
    input: ['src', 'usemap', 'formaction'],
    ins: ['cite'],
    link: ['href'],
    object: ['classid', 'codebase', 'data', 'usemap'],
    q: ['cite'],
    script: ['src'],
    source: ['src'],
    track: ['src'],
    video: ['poster', 'src'],
  }),
)

/** Rewrites the start tags in a stream and copies all other bytes. The text is decoded as Latin-1, which preserves every byte. */
class TagRewriter extends Transform {
  readonly #links: LinkRewriter
  #rest = ''

  constructor(links: LinkRewriter) {
    super()
    this.#links = links
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const text = this.#rest + chunk.toString('latin1')
    const open = text.lastIndexOf('<')
    const complete = open < 0 || text.indexOf('>', open) >= 0 || text.length - open > maxTag
    this.#rest = complete ? '' : text.slice(open)
    this.push(this.#rewrite(complete ? text : text.slice(0, open)))
    done()
  }

  override _flush(done: () => void): void {
    if (this.#rest !== '') this.push(Buffer.from(this.#rest, 'latin1'))
    done()
  }

  #rewrite(text: string): Buffer {
    const rewritten = text.replace(/<([a-z][a-z0-9]*)(\s[^<>]*)>/gi, (tag, element: string, attributes: string) => {
      const attributeNames = urlAttributes.get(element.toLowerCase())
      if (attributeNames === undefined) return tag
      return `<${element}${attributes.replace(
        /(?<![a-z])([a-z]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/gi,
        (whole, name: string, equals: string, value: string) =>
          attributeNames.includes(name.toLowerCase()) ? `${name}${equals}${this.#quoted(value)}` : whole,
      )}>`
    })
    return Buffer.from(rewritten, 'latin1')
  }

  #quoted(value: string): string {
    const quote = value.startsWith('"') || value.startsWith("'") ? value[0]! : ''
    const link = quote === '' ? value : value.slice(1, -1)
    return `${quote}${this.#links.rewrite(link)}${quote}`
  }
}
