/** The target of a request ("/api/v1/pods?watch=1"), split once. Authorization and dispatch both read this, so they cannot disagree. */
export interface RequestTarget {
  /** As sent. */
  readonly text: string
  /** Decoded once. Dots and double slashes stay: a path that is written differently is a different path. */
  readonly path: string
  /** The segments of `path`. "/a/b" and "/a/b/" have the same. */
  readonly segments: readonly string[]
  /** The text after the `?`, as sent. */
  readonly query: string
}

/** Stands for a target that `parseTarget` refuses. */
export const malformedTarget: RequestTarget = { text: '', path: '/', segments: [], query: '' }

/** Parses "/api/v1/pods?watch=1", with or without scheme and host before it (as proxies send it). Throws `URIError` for anything else and for broken escapes. */
export function parseTarget(text: string): RequestTarget {
  const origin = text.charCodeAt(0) === 47 ? text : originForm(text)
  const question = origin.indexOf('?')
  const sent = question < 0 ? origin : origin.slice(0, question)
  const path = sent.includes('%') ? decodeURIComponent(sent) : sent
  return { text, path, segments: segmentsOf(path), query: question < 0 ? '' : origin.slice(question + 1) }
}

function segmentsOf(path: string): readonly string[] {
  const inner = path.slice(1, path.endsWith('/') ? -1 : undefined)
  return inner === '' ? [] : inner.split('/')
}

function originForm(target: string): string {
  const absolute = /^https?:\/\/[^/?]+/i.exec(target)
  if (absolute === null) throw new URIError('a request target starts with a slash or with http')
  const rest = target.slice(absolute[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
