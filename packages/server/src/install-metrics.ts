import { TimeSlice } from '@keelson/apimachinery'
import { metricsContentType } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { withExchange } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import type { Hono } from 'hono'
import { sendPlain } from './plain-answer.ts'

export type MetricsPage = Pick<MetricsRegistry, 'collect' | 'reset'>

/** Serves a metrics page for every HTTP method. DELETE resets the metrics if `resettable` is true. */
export function installMetrics(app: Hono<InstallerEnv>, path: string, page: MetricsPage, resettable: boolean): void {
  const serve = withExchange(async (exchange) => {
    if (!resettable || exchange.method !== 'DELETE')
      return sendPlain(exchange, { status: 200, type: metricsContentType, body: await formatPage(page) })
    page.reset()
    sendPlain(exchange, { status: 200, type: 'text/plain; charset=utf-8', body: 'metrics reset\n' })
  })
  app.all(path, serve)
}

/** Formats a page in slices, because the page of a large cluster has many thousand lines. */
async function formatPage(page: MetricsPage): Promise<string> {
  const slice = new TimeSlice()
  let text = ''
  for (const piece of page.collect()) {
    text += piece
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  return text
}
