import { getErrorMessage } from '@keelson/apimachinery'
import type { PlainAnswer } from './plain-answer.ts'
import { createPlainError } from './plain-answer.ts'
import type { QueryParameters } from '@keelson/exchange'
import { createCounter, createGauge, createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsPage } from './install-metrics.ts'
import { startTime } from './process-metrics.ts'

export interface HealthCheck {
  readonly name: string
  /** Name under which a client can exclude all checks of a group together. Default: the check is in no group. */
  readonly group?: string
  /** Runs the check. Throws an error with the reason if it fails. */
  check(): void | Promise<void>
}

const ok: PlainAnswer = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' }

/** One of `/healthz`, `/livez` and `/readyz`, with a subpath for each check. `answerOne` returns undefined for an unknown check. */
interface HealthEndpoint {
  answer(query: QueryParameters): Promise<PlainAnswer>
  answerOne(name: string): Promise<PlainAnswer | undefined>
}

interface HealthEndpointOptions {
  /** Name of the endpoint, such as "readyz". */
  readonly name: string
  /** Returns the current checks. Called for each request, because checks can be added at any time. */
  readonly listChecks: () => readonly HealthCheck[]
  /** Called with the names of the failed checks and a line for each. The public response does not contain the errors. */
  readonly onFailure?: (endpoint: string, checks: readonly string[], lines: readonly string[]) => void
  /** Called with the result of each check. */
  readonly onChecked?: (check: string, passed: boolean) => void
}

export function createHealthEndpoint({ name, listChecks, onFailure, onChecked }: HealthEndpointOptions): HealthEndpoint {
  return {
    answer: async (query) => {
      const excluded = new Set(query.getAll('exclude'))
      const unmatched = new Set(excluded)
      const failed: string[] = []
      const errors: string[] = []
      let output = ''
      for (const check of listChecks()) {
        const { group = '' } = check
        if (excluded.has(check.name)) {
          unmatched.delete(check.name)
          output += `[+]${check.name} excluded: ok\n`
        } else if (excluded.has(group)) {
          unmatched.delete(group)
          output += `[+]${check.name} excluded with ${group}: ok\n`
        } else {
          const error = await findError(check)
          onChecked?.(check.name, error === undefined)
          output += error === undefined ? `[+]${check.name} ok\n` : `[-]${check.name} failed: reason withheld\n`
          if (error === undefined) continue
          failed.push(check.name)
          errors.push(`[-]${check.name} failed: ${error}`)
        }
      }
      if (unmatched.size > 0) {
        const names = [...unmatched].sort().map((unknown) => JSON.stringify(unknown))
        output += `warn: some health checks cannot be excluded: no matches for ${names.join(',')}\n`
      }
      if (failed.length > 0) {
        onFailure?.(name, failed, errors)
        return createPlainError(500, `${output}${name} check failed`)
      }
      return query.has('verbose') ? { ...ok, body: `${output}${name} check passed\n` } : ok
    },
    answerOne: async (checkName) => {
      const check = listChecks().find((candidate) => candidate.name === checkName)
      if (check === undefined) return undefined
      const error = await findError(check)
      return error === undefined ? ok : createPlainError(500, `internal server error: ${error}`)
    },
  }
}

/** Runs a check. Returns the message of its error, or undefined if it passes. */
async function findError(check: HealthCheck): Promise<string | undefined> {
  try {
    await check.check()
    return undefined
  } catch (error) {
    return getErrorMessage(error)
  }
}

/** Called with the result of each health check. */
export type OnChecked = (endpoint: string, check: string, passed: boolean) => void

/** Creates the metrics of health checks. `page` is the page at `/metrics/slis`, which has only these metrics, as in kube-apiserver. */
export function createHealthMetrics(): { readonly onChecked: OnChecked; readonly page: MetricsPage } {
  const page = createMetricsRegistry()
  const last = createGauge('kubernetes_healthcheck', '[STABLE] The outcome of the last health check: 1 passed, 0 failed.')
  const allChecks = createCounter('kubernetes_healthchecks_total', '[STABLE] Health checks by their outcome.')
  for (const collector of [last, allChecks]) page.register(collector)
  page.register(startTime())
  return {
    onChecked: (type, name, passed) => {
      last.with({ name, type }).value = passed ? 1 : 0
      allChecks.with({ name, status: passed ? 'success' : 'error', type }).value++
    },
    page,
  }
}
