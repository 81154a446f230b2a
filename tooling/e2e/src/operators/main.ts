// node tooling/e2e/src/operators/main.ts [--only NAME] [--server URL --token T]: runs real operators against a new Keelson server or a running
// server. See tooling/e2e/README.md.
import { parseArgs } from 'node:util'
import { startKeelsonProcess } from '../keelson-process.ts'
import { runCertManager } from './cert-manager.ts'
import { runCertManagerWebhook } from './cert-manager-webhook.ts'
import { Cluster } from './cluster.ts'
import { runGatekeeper } from './gatekeeper.ts'
import { runSourceController } from './source-controller.ts'
import { runWidgetOperator } from './widget-operator.ts'
import { runWidgetWebhooks } from './widget-webhooks.ts'

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, server: { type: 'string' }, token: { type: 'string', default: '' } },
})
const operators = {
  'cert-manager': runCertManager,
  'cert-manager-webhook': runCertManagerWebhook,
  gatekeeper: runGatekeeper,
  'source-controller': runSourceController,
  'widget-operator': runWidgetOperator,
  'widget-webhooks': runWidgetWebhooks,
}
// Nothing routes the addresses of services here, so the server must connect to their endpoints.
const flags = ['--enable-aggregator-routing=true']
for (const [name, run] of Object.entries(operators)) {
  if (!name.includes(values.only)) continue
  await using keelson = values.server === undefined ? await startKeelsonProcess({ flags }) : undefined
  await using cluster = await Cluster.open(keelson ?? { url: values.server ?? '', token: values.token })
  const started = Date.now()
  let result: string
  try {
    result = (await run(cluster)) ? 'ok' : 'skipped'
  } catch (error) {
    result = `FAIL ${error instanceof Error ? error.message : String(error)}`
    process.exitCode = 1
  }
  process.stdout.write(`${name}: ${result} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`)
}
