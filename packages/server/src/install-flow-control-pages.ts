import { sendBytes } from '@keelson/exchange'
import { withExchange } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import type { Hono } from 'hono'

const tables = ['dump_priority_levels', 'dump_queues', 'dump_requests'] as const

/** State of the flow control for debugging. */
export interface DumpedFlowControl {
  dump(table: (typeof tables)[number], options: { readonly includeRequestDetails: boolean }): string
}

/** Serves kube-apiserver's debugging pages of priority and fairness. Like there, they are not in the list of paths. */
export function installFlowControlPages(app: Hono<InstallerEnv>, control: DumpedFlowControl): void {
  for (const table of tables) {
    app.all(
      `/debug/api_priority_and_fairness/${table}`,
      withExchange((exchange) => {
        const includeRequestDetails = Boolean(exchange.query.get('includeRequestDetails'))
        sendBytes(exchange, 200, { 'content-type': 'text/plain; charset=utf-8' }, control.dump(table, { includeRequestDetails }))
      }),
    )
  }
}
