/** The parameters of a query. */
export type QueryParameters = Pick<URLSearchParams, 'get' | 'getAll' | 'has' | 'size' | typeof Symbol.iterator>

/** Like kube-apiserver, treats a query with more parameters as empty. The limit also keeps lookups fast. */
const maxParameters = 10_000
const brokenEscape = /%(?![0-9a-f]{2})/i

/** Shared by the many requests without a query, because `URLSearchParams` searches its list for each name even if it is empty. */
const noParameters: QueryParameters = {
  get: () => null,
  getAll: () => [],
  has: () => false,
  size: 0,
  [Symbol.iterator]: () => new URLSearchParams()[Symbol.iterator](),
}

/** Parses the text after the `?`. Like kube-apiserver, drops parameters with a semicolon or an invalid escape. */
export function parseQuery(query: string): QueryParameters {
  if (query === '' || parameterCount(query) > maxParameters) return noParameters
  const readable = /[;%]/.test(query) ? query.split('&').filter(isReadable).join('&') : query
  // URLSearchParams drops a leading question mark, but here it belongs to the first name.
  return new URLSearchParams(readable.startsWith('?') ? `&${readable}` : readable)
}

function isReadable(parameter: string): boolean {
  return !parameter.includes(';') && !brokenEscape.test(parameter)
}

function parameterCount(query: string): number {
  let count = 1
  for (let at = query.indexOf('&'); at >= 0 && count <= maxParameters; at = query.indexOf('&', at + 1)) count++
  return count
}
