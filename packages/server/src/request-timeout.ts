import { parseQuery } from '@keelson/exchange'
import { newBadRequest, parseDuration } from '@keelson/apimachinery'
import type { ApiError } from '@keelson/apimachinery'

export type RequestTimeout =
  | { readonly milliseconds: number; readonly error?: undefined }
  | { readonly milliseconds?: undefined; readonly error: ApiError }

/** The `timeout` of the query ("10s") where it is shorter than the server's own. */
export function requestTimeout(query: string, maximum: number): RequestTimeout {
  const text = query.includes('timeout=') ? parseQuery(query).get('timeout') : undefined
  if (!text) return { milliseconds: maximum }
  let asked: number
  try {
    asked = Number(parseDuration(text)) / 1e6
  } catch (error) {
    return { error: newBadRequest(`invalid timeout specified in the request URL - ${(error as Error).message}`, { cause: error }) }
  }
  return { milliseconds: asked > 0 && asked < maximum ? asked : maximum }
}
