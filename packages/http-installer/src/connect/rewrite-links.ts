import { posix } from 'node:path'
import type { Remote } from '@keelson/registry'
import { hostAndPort } from './remote-request.ts'

export interface LinkRewriterOptions {
  /** The path of this server that corresponds to the remote's root. */
  readonly prefix: string
  readonly remote: Remote
  /** The host name that the client uses for this server. */
  readonly clientHost: string
}

/** Rewrites links to lead through this server. Keeps links to other hosts and relative links. */
export class LinkRewriter {
  readonly #prefix: string
  readonly #remoteHost: string
  readonly #clientHost: string

  constructor({ prefix, remote, clientHost }: LinkRewriterOptions) {
    this.#prefix = prefix
    this.#remoteHost = hostAndPort(remote)
    this.#clientHost = clientHost
  }

  rewrite(link: string): string {
    const [, origin = '', host = '', rest = link] = /^((?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*))(.*)$/is.exec(link) ?? []
    if (origin !== '' && host !== this.#remoteHost && host !== this.#clientHost) return link
    const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(rest) ?? []
    if (!path.startsWith('/')) return link
    const kept = host === this.#clientHost ? origin : ''
    if (path.startsWith(this.#prefix)) return kept + rest
    return kept + posix.join(this.#prefix, path) + tail
  }
}
