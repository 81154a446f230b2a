import { isApiError, messageOf } from '@keelson/apimachinery'

/** A plugin threw something other than an API error. The message names the plugin; `cause` holds the thrown value. */
export class AdmissionPluginError extends Error {
  override readonly name = 'AdmissionPluginError'
}

// The request ended while the plugin was waiting: not a bug. Compared by name, as the server does.
const abortErrorNames: ReadonlySet<unknown> = new Set(['AbortError', 'ClientGoneError', 'DeadlineExceededError'])

/** Converts what a plugin threw: API errors and aborts pass unchanged. */
export function toChainError(plugin: string, error: unknown): unknown {
  if (isApiError(error) || abortErrorNames.has((error as Error | undefined)?.name)) return error
  const reason = messageOf(error)
  return new AdmissionPluginError(`the admission plugin ${JSON.stringify(plugin)} failed: ${reason}`, { cause: error })
}
