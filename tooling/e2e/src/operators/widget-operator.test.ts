import { expect, test } from 'vitest'
import { startKeelsonProcess } from '../keelson-process.ts'
import { Cluster } from './cluster.ts'
import { buildWidgetOperator, runWidgetOperator } from './widget-operator.ts'

const program = await buildWidgetOperator()

test.skipIf(program === undefined)(
  'an operator built with controller-runtime manages objects through a conversion webhook',
  { timeout: 180_000 },
  async () => {
    await using server = await startKeelsonProcess()
    await using cluster = await Cluster.open(server)
    expect(await runWidgetOperator(cluster)).toBe(true)
  },
)
