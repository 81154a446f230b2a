/** The target of a request ("/api/v1/pods?watch=1"), split once. Authorization and routing both use it, so they cannot disagree. */
export interface RequestTarget {
  /** The target as sent. */
  readonly text: string
  /** Decoded once. Keeps dots and double slashes, because such a path is a different one. */
  readonly path: string
  /** Segments of `path`, which are equal for "/a/b" and "/a/b/". */
  readonly segments: readonly string[]
  /** The encoded text after the `?`. */
  readonly query: string
}

/** Replaces a target that `parseTarget` rejects. */
export const malformedTarget: RequestTarget = { text: '', path: '/', segments: [], query: '' }

/**
 * Parses "/api/v1/pods?watch=1", optionally with scheme and host (as sent by proxies). Throws `URIError` for anything else and for invalid
 * escapes.
 */
export function parseTarget(text: string): RequestTarget {
  const origin = text.charCodeAt(0) === 47 ? text : originForm(text)
  const question = origin.indexOf('?')
  const sent = question < 0 ? origin : origin.slice(0, question)
  const path = sent.includes('%') ? decodeURIComponent(sent) : sent
  return { text, path, segments: splitSegments(path), query: question < 0 ? '' : origin.slice(question + 1) }
}

function splitSegments(path: string): readonly string[] {
  const inner = path.slice(1, path.endsWith('/') ? -1 : undefined)
  return inner === '' ? [] : inner.split('/')
}

function originForm(target: string): string {
  const absolute = /^https?:\/\/[^/?]+/i.exec(target)
  if (absolute === null) throw new URIError('a request target must start with a slash or with http')
  const rest = target.slice(absolute[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
