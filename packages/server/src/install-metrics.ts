import { metricsContentType } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { InstallerEnv } from '@keelson/http-installer'
import type { Hono } from 'hono'
import { sendPlain } from './plain-answer.ts'

export type MetricsPage = Pick<MetricsRegistry, 'text' | 'reset'>

/** Whatever the method is, except that DELETE begins to count anew where that is allowed. */
export function installMetrics(app: Hono<InstallerEnv>, path: string, page: MetricsPage, resettable: boolean): void {
  app.all(path, (c) => {
    if (!resettable || c.req.method !== 'DELETE') return sendPlain(c, { status: 200, type: metricsContentType, body: page.text() })
    page.reset()
    return sendPlain(c, { status: 200, type: 'text/plain; charset=utf-8', body: 'metrics reset\n' })
  })
}
