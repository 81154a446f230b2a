// node tooling/e2e/src/prometheus/main.ts MIXIN [DIR…]: evaluates the API server's rules, alerts and dashboard of kubernetes-mixin on the metrics of a
// new server, and lists the expressions without data. See the README of tooling/e2e.
import { evaluate, prometheusProgram, renderJsonnet } from './prometheus.ts'
import type { Rule } from './prometheus.ts'
import { scrapeServer, targetLabels } from './scrape-server.ts'

/** Expressions without data, each with the reason. */
const withoutData: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/code=~"3\.\."/, 'no request for a resource is redirected'],
  [/go_goroutines/, 'the runtime has no goroutines'],
]

interface Mixin {
  readonly rules: readonly Rule[]
  readonly alerts: readonly { readonly alert: string; readonly expr: string }[]
  readonly queries: readonly string[]
}

const snippet = `
  local mixin = import 'mixin.libsonnet';
  local isOfServer(name) = std.startsWith(name, 'kube-apiserver') || name == 'kubernetes-system-apiserver';
  local listRules(groups) = std.flattenArrays([group.rules for group in groups if isOfServer(group.name)]);
  local listPanels(panels) = std.flattenArrays([[panel] + (if std.objectHas(panel, 'panels') then panel.panels else []) for panel in panels]);
  {
    rules: listRules(mixin.prometheusRules.groups),
    alerts: listRules(mixin.prometheusAlerts.groups),
    queries: [
      target.expr
      for panel in listPanels(mixin.grafanaDashboards['apiserver.json'].panels)
      if std.objectHas(panel, 'targets')
      for target in panel.targets
    ],
  }`

const variables: Readonly<Record<string, string>> = { $cluster: targetLabels.cluster, $instance: '.*', $__rate_interval: '5m' }
const directories = process.argv.slice(2)
if (prometheusProgram === undefined || directories.length === 0) {
  process.stderr.write(
    'usage: main.ts MIXIN [DIR…]; MIXIN is a directory with kubernetes-mixin, DIR has the jsonnet libraries that it imports\n',
  )
  process.exit(2)
}

const { rules, alerts, queries } = await renderJsonnet<Mixin>(snippet, directories)
const selectors = alerts.flatMap(({ expr }) => listSelectors(expr))
const all = [...queries.map(replaceVariables), ...new Set(selectors)]
const results = await evaluate({ labels: targetLabels, pages: await scrapeServer(), rules, queries: all })
let failures = 0
for (const { expression, series, error } of results) {
  if (series > 0 && error === undefined) continue
  const reason = withoutData.find(([pattern]) => pattern.test(expression))?.[1]
  if (reason === undefined || error !== undefined) failures++
  process.stdout.write(
    `${reason === undefined ? 'NO DATA' : 'listed '} ${expression.replaceAll(/\s+/g, ' ').trim()}: ${error ?? reason ?? ''}\n`,
  )
}
process.stdout.write(`${rules.length} rules, ${alerts.length} alerts, ${queries.length} queries: ${failures} expressions without data\n`)
process.exitCode = failures === 0 ? 0 : 1

function replaceVariables(query: string): string {
  return Object.entries(variables).reduce((replaced, [name, value]) => replaced.replaceAll(name, value), query)
}

/** Returns the selectors in an expression. The thresholds of an alert hide whether its metrics exist. */
function listSelectors(expression: string): string[] {
  const names = [...expression.matchAll(/\b(?:aggregator|apiserver)_[\w:]+(?:\{[^}]*\})?|\bup\{[^}]*\}/g)]
  return names.map(([selector]) => selector)
}
