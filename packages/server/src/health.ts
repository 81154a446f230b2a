import { getErrorMessage } from '@keelson/apimachinery'
import type { PlainAnswer } from './plain-answer.ts'
import { createPlainError } from './plain-answer.ts'
import type { QueryParameters } from '@keelson/exchange'
import { createCounter, createGauge, createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsPage } from './install-metrics.ts'
import { startTime } from './process-metrics.ts'

export interface HealthCheck {
  readonly name: string
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
  readonly checks: () => readonly HealthCheck[]
  /** Called with the error of each failed check. The public response does not contain the error. */
  readonly onFailure?: (endpoint: string, check: string, error: unknown) => void
  /** Called with the result of each check. */
  readonly onChecked?: (check: string, passed: boolean) => void
}

export function createHealthEndpoint({ name, checks, onFailure, onChecked }: HealthEndpointOptions): HealthEndpoint {
  /** Runs one check. Throws its error if it fails. */
  async function run(check: HealthCheck): Promise<void> {
    try {
      await check.check()
      onChecked?.(check.name, true)
    } catch (error) {
      onChecked?.(check.name, false)
      onFailure?.(name, check.name, error)
      throw error
    }
  }
  return {
    answer: async (query) => {
      const unmatched = new Set(query.getAll('exclude'))
      const excluded = new Set(unmatched)
      let output = ''
      let failed = false
      for (const check of checks()) {
        if (excluded.has(check.name)) {
          unmatched.delete(check.name)
          output += `[+]${check.name} excluded: ok\n`
          continue
        }
        try {
          await run(check)
          output += `[+]${check.name} ok\n`
        } catch {
          failed = true
          output += `[-]${check.name} failed: reason withheld\n`
        }
      }
      if (unmatched.size > 0) {
        output += `warn: some health checks cannot be excluded: no matches for ${[...unmatched]
          .sort()
          .map((n) => JSON.stringify(n))
          .join(', ')}\n`
      }
      if (failed) return createPlainError(500, `${output}${name} check failed`)
      return query.has('verbose') ? { ...ok, body: `${output}${name} check passed\n` } : ok
    },
    answerOne: async (wanted) => {
      const check = checks().find((candidate) => candidate.name === wanted)
      if (check === undefined) return undefined
      try {
        await run(check)
        return ok
      } catch (error) {
        return createPlainError(500, `internal server error: ${getErrorMessage(error)}`)
      }
    },
  }
}

/** Called with the result of each health check. */
export type OnChecked = (endpoint: string, check: string, passed: boolean) => void

/** Registers the metrics of health checks. `page` is the page at `/metrics/slis`, which has only these metrics. */
export function registerHealthMetrics(registry: MetricsRegistry): { readonly onChecked: OnChecked; readonly page: MetricsPage } {
  const page = createMetricsRegistry()
  const last = createGauge('kubernetes_healthcheck', '[STABLE] The outcome of the last health check: 1 passed, 0 failed.')
  const allChecks = createCounter('kubernetes_healthchecks_total', '[STABLE] Health checks by their outcome.')
  for (const collector of [last, allChecks]) page.register(registry.register(collector))
  page.register(startTime())
  return {
    onChecked: (type, name, passed) => {
      last.with({ name, type }).value = passed ? 1 : 0
      allChecks.with({ name, status: passed ? 'success' : 'error', type }).value++
    },
    page,
  }
}
