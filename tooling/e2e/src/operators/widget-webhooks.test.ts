import { expect, test } from 'vitest'
import { startKeelsonProcess } from '../keelson-process.ts'
import { Cluster } from './cluster.ts'
import { buildWidgetOperator } from './widget-operator.ts'
import { runWidgetWebhooks } from './widget-webhooks.ts'

const program = await buildWidgetOperator()

test.skipIf(program === undefined)(
  'webhooks built with controller-runtime convert, default and validate, and change their certificate under load',
  { timeout: 180_000 },
  async () => {
    await using server = await startKeelsonProcess({ controllers: 'none' })
    await using cluster = await Cluster.open(server)
    expect(await runWidgetWebhooks(cluster)).toBe(true)
  },
)
