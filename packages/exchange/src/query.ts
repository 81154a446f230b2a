/** The parameters of a query. */
export type QueryParameters = Pick<URLSearchParams, 'get' | 'getAll' | 'has' | 'size' | typeof Symbol.iterator>

/** A query with more parameters counts as empty, as in kube-apiserver. The limit also keeps every lookup short. */
const maxParameters = 10_000
const brokenEscape = /%(?![0-9a-f]{2})/i

/** Shared by all requests without a query, which are most: `URLSearchParams` searches its list for each name even when the list is empty. */
const noParameters: QueryParameters = {
  get: () => null,
  getAll: () => [],
  has: () => false,
  size: 0,
  [Symbol.iterator]: () => new URLSearchParams()[Symbol.iterator](),
}

/** Parses the text after the `?`. Parameters with a semicolon or a broken escape are dropped, as kube-apiserver does. */
export function parseQuery(query: string): QueryParameters {
  if (query === '' || parameterCount(query) > maxParameters) return noParameters
  const readable = /[;%]/.test(query) ? query.split('&').filter(isReadable).join('&') : query
  // URLSearchParams drops a leading question mark; here it is part of the first name.
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
