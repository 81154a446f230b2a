import { isApiError } from '@keelson/apimachinery'

/** A plugin's bug: it threw something that is no API error. Names the plugin; the `cause` is what it threw. */
export class AdmissionPluginError extends Error {
  override readonly name = 'AdmissionPluginError'
}

// The request ended while the plugin waited for something: nobody's bug. By name, as servers judge them.
const endings: ReadonlySet<unknown> = new Set(['AbortError', 'ClientGoneError', 'DeadlineExceededError'])

/** What leaves the chain when the plugin throws `error`: refusals and aborts as they are. */
export function thrownBy(plugin: string, error: unknown): unknown {
  if (isApiError(error) || endings.has((error as Error | undefined)?.name)) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new AdmissionPluginError(`the admission plugin ${JSON.stringify(plugin)} failed: ${reason}`, { cause: error })
}
