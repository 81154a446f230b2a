import { posix } from 'node:path'
import type { Remote } from '@keelson/registry'
import { joinHostAndPort } from './remote-request.ts'

export interface LinkRewriterOptions {
  /** Path of this server's proxy that corresponds to the path "/" of the other server. */
  readonly prefix: string
  readonly remote: Pick<Remote, 'host' | 'port'>
  /** Host name in the client's request to this server. */
  readonly clientHost: string
  /** Scheme and host of rewritten links, such as "https://10.0.0.1:443". Default: those of the client's request. */
  readonly origin?: string
}

/** Rewrites links so that they go through this server's proxy. Links to other hosts and relative links are kept. */
export class LinkRewriter {
  readonly #prefix: string
  readonly #remoteHost: string
  readonly #clientHost: string
  readonly #origin: string | undefined

  constructor({ prefix, remote, clientHost, origin }: LinkRewriterOptions) {
    this.#prefix = prefix
    this.#origin = origin
    this.#remoteHost = joinHostAndPort(remote)
    this.#clientHost = clientHost
  }

  rewrite(link: string): string {
    const [, origin = '', host = '', rest = link] = /^((?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*))(.*)$/is.exec(link) ?? []
    if (origin !== '' && host !== this.#remoteHost && host !== this.#clientHost) return link
    const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(rest) ?? []
    if (!path.startsWith('/')) return link
    const keptOrigin = this.#origin ?? (host === this.#clientHost ? origin : '')
    if (path.startsWith(this.#prefix)) return keptOrigin + rest
    return keptOrigin + posix.join(this.#prefix, path) + tail
  }
}
