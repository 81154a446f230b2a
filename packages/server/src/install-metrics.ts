import { metricsContentType } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { withExchange } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import type { Hono } from 'hono'
import { sendPlain } from './plain-answer.ts'

export type MetricsPage = Pick<MetricsRegistry, 'text' | 'reset'>

/** Serves a metrics page for every HTTP method. DELETE resets the metrics if `resettable` is true. */
export function installMetrics(app: Hono<InstallerEnv>, path: string, page: MetricsPage, resettable: boolean): void {
  const serve = withExchange((exchange) => {
    if (!resettable || exchange.method !== 'DELETE')
      return sendPlain(exchange, { status: 200, type: metricsContentType, body: page.text() })
    page.reset()
    sendPlain(exchange, { status: 200, type: 'text/plain; charset=utf-8', body: 'metrics reset\n' })
  })
  app.all(path, serve)
}
